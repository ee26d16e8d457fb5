// A decision is made here. Read Decider::check top to bottom: classify, key, charge, fold.
//
// Everything else feeds it or carries its answer; the library, the service, the replay and the
// tests call this one function, or, where the store answers later, its two halves (pending.h).
// Thread-safe; no allocation, no formatting, no system call, no clock: `now` is given.
#pragma once

#include "decide/charge_list.h"
#include "decide/decision.h"
#include "decide/snapshot.h"
#include "identity/facts.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::decide {

class Decider {
 public:
  // Both outlive the Decider. `local` is what counts in this process where `store` gave no verdict
  // and a limit says `on_store_failure: local`; null where `store` cannot fail.
  explicit Decider(store::Store& store, store::Store* local = nullptr)
      : store_(store), local_(local) {}

  // For a store that answers at once. `decision` is reused: what it held is overwritten. The views
  // in it are those of `snapshot`.
  void check(const Snapshot& snapshot, const identity::Facts& facts, Now now,
             Decision& decision) const;

  // Up to the charges that the store is asked for. False: there are none, and the decision stands.
  bool prepare(const Snapshot& snapshot, const identity::Facts& facts, Now now, Decision& decision,
               ChargeList& list) const;
  // What follows where there are some, of a store that answers at once.
  void ask(const Snapshot& snapshot, const ChargeList& list, Now now, Decision& decision) const;
  // From the store's verdict on.
  void complete(const Snapshot& snapshot, const ChargeList& list, const store::Verdict& verdict,
                Decision& decision) const;
  store::Store& store() const { return store_; }

 private:
  store::Store& store_;
  store::Store* local_;
};

}  // namespace weir::decide
