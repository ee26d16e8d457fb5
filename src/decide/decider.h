// A decision is made here. Read Decider::check top to bottom: classify, key, charge, fold.
//
// Everything else feeds it or carries its answer; the library, the service, the replay and the
// tests call this one function. Thread-safe; no allocation, no formatting, no system call, no
// clock: `now` is given.
#pragma once

#include "decide/decision.h"
#include "decide/snapshot.h"
#include "identity/facts.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::decide {

class Decider {
 public:
  // `store` outlives the Decider.
  explicit Decider(store::Store& store) : store_(store) {}

  // `decision` is reused: what it held is overwritten. The views in it are those of `snapshot`.
  void check(const Snapshot& snapshot, const identity::Facts& facts, Now now,
             Decision& decision) const;

 private:
  store::Store& store_;
};

}  // namespace weir::decide
