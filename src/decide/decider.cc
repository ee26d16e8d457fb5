#include "decide/decider.h"

#include "decide/charge_list.h"
#include "decide/classify.h"
#include "decide/fold.h"
#include "identity/caller.h"

namespace weir::decide {
namespace {

// Carries the store's outcomes into the decision; for a failed store, its limits' failure policies.
class IntoDecision final : public store::Sink {
 public:
  IntoDecision(const policy::Policy& policy, const ChargeList& list, Decision& decision)
      : policy_(policy), list_(list), decision_(decision) {}

  void decided(const store::Verdict& verdict) override {
    decision_.now = verdict.now;
    if (verdict.failed) return apply_failure_policy(policy_, decision_);
    for (std::size_t i = 0; i < verdict.outcomes.size(); ++i) {
      decision_.verdicts[list_.verdict_of(i)].outcome = verdict.outcomes[i];
    }
  }

 private:
  const policy::Policy& policy_;
  const ChargeList& list_;
  Decision& decision_;
};

void start(Decision& d, const identity::Facts& facts, Now now) {
  d.admit = true;
  d.peek = facts.peek;
  d.skipped = false;
  d.degraded = false;
  d.reason = Reason::admitted;
  d.status = 200;
  d.now = now;
  d.retry_after = {};
  d.delay = {};
  d.governing = kNoLimit;
  d.count = 0;
}

}  // namespace

void Decider::check(const Snapshot& snapshot, const identity::Facts& facts, Now now,
                    Decision& decision) const {
  const policy::Policy& policy = *snapshot.policy;
  start(decision, facts, now);
  identity::Caller caller(policy, snapshot.accounts.get(), facts);

  decision.class_id = classify(snapshot, facts, caller);
  decision.tier = caller.tier();
  decision.account =
      caller.account() != nullptr ? std::string_view(caller.account()->name) : std::string_view{};
  decision.skipped = policy.classes[decision.class_id].exempt || is_preflight(facts);
  if (decision.skipped) return;

  ChargeList list;
  list.collect(snapshot, facts, caller, store_.secret(), now, decision);

  if (!list.charges().empty()) {
    IntoDecision sink(policy, list, decision);
    // Where a limit has denied without a counter, the others only show what they have.
    const store::Request request{list.charges(), facts.peek || list.denied()};
    store_.charge({&request, 1}, now, sink);
  }

  fold(policy, decision);
}

}  // namespace weir::decide
