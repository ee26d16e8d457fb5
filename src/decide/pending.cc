#include "decide/pending.h"

namespace weir::decide {

void Pending::start(const Decider& decider, std::shared_ptr<const Snapshot> snapshot,
                    const identity::Facts& facts, Now now) {
  decider_ = &decider;
  snapshot_ = std::move(snapshot);
  if (!decider.prepare(*snapshot_, facts, now, decision_, list_)) return done();
  const store::Request request = list_.request(decision_.peek);
  decider.store().charge({&request, 1}, now, *this);
}

void Pending::decided(const store::Verdict& verdict) {
  decider_->complete(*snapshot_, list_, verdict, decision_);
  done();
}

}  // namespace weir::decide
