// A decision that may be answered later: what Decider::check makes, behind a store that answers on
// its own thread.
//
//   class Answer final : public decide::Pending {
//     void done() override { post(decision()); }
//   };
//   pending->start(decider, engine.snapshot(), facts, clock.now());
//
// Lives until `done`; holds its snapshot, so that the views of the decision stay valid. May be used
// again after that. Not thread-safe: `start`, and what `done` begins, in turn.
#pragma once

#include <memory>
#include <utility>

#include "decide/charge_list.h"
#include "decide/decider.h"
#include "decide/decision.h"
#include "decide/snapshot.h"
#include "identity/facts.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::decide {

class Pending : private store::Sink {
 public:
  Pending() = default;
  Pending(const Pending&) = delete;
  virtual ~Pending() = default;

  // `done` is called once: before this returns where no counter is asked or the store answers at
  // once, else later on the store's thread. `facts` is not used after this returns; `decider` is.
  void start(const Decider& decider, std::shared_ptr<const Snapshot> snapshot,
             const identity::Facts& facts, Now now);

  const Decision& decision() const { return decision_; }
  const Snapshot& snapshot() const { return *snapshot_; }

 protected:
  virtual void done() = 0;

 private:
  void decided(const store::Verdict& verdict) override;

  const Decider* decider_ = nullptr;
  std::shared_ptr<const Snapshot> snapshot_;
  ChargeList list_;
  Decision decision_;
};

}  // namespace weir::decide
