#include "decide/decider.h"

#include <array>

#include "decide/charge_list.h"
#include "decide/classify.h"
#include "decide/failure.h"
#include "decide/fold.h"
#include "identity/caller.h"

namespace weir::decide {
namespace {

// Hands the store's verdict, which comes before `charge` returns, to the decision.
class Complete final : public store::Sink {
 public:
  Complete(const Decider& decider, const Snapshot& snapshot, const ChargeList& list,
           Decision& decision)
      : decider_(decider), snapshot_(snapshot), list_(list), decision_(decision) {}

  void decided(const store::Verdict& verdict) override {
    decider_.complete(snapshot_, list_, verdict, decision_);
  }

 private:
  const Decider& decider_;
  const Snapshot& snapshot_;
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

// Of limits that were not asked there is nothing to tell.
void drop_unasked(const ChargeList& list, std::uint32_t unasked, Decision& decision) {
  std::array<bool, store::kMaxCharges> drop{};
  for (std::size_t i = 0; i < list.charges().size(); ++i) {
    if ((unasked >> i & 1) != 0) drop[list.verdict_of(i)] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < decision.count; ++i) {
    if (!drop[i]) decision.verdicts[kept++] = decision.verdicts[i];
  }
  decision.count = kept;
}

}  // namespace

void Decider::check(const Snapshot& snapshot, const identity::Facts& facts, Now now,
                    Decision& decision) const {
  ChargeList list;
  if (prepare(snapshot, facts, now, decision, list)) ask(snapshot, list, now, decision);
}

void Decider::ask(const Snapshot& snapshot, const ChargeList& list, Now now,
                  Decision& decision) const {
  Complete sink(*this, snapshot, list, decision);
  const store::Request request = list.request(decision.peek);
  store_.charge({&request, 1}, now, sink);
}

bool Decider::prepare(const Snapshot& snapshot, const identity::Facts& facts, Now now,
                      Decision& decision, ChargeList& list) const {
  const policy::Policy& policy = *snapshot.policy;
  start(decision, facts, now);
  identity::Caller caller(policy, snapshot.accounts.get(), facts);

  decision.class_id = classify(snapshot, facts, caller);
  decision.tier = caller.tier();
  decision.account =
      caller.account() != nullptr ? std::string_view(caller.account()->name) : std::string_view{};
  decision.skipped = policy.classes[decision.class_id].exempt || is_preflight(facts);
  if (decision.skipped) return false;

  list.collect(snapshot, facts, caller, now, decision);
  if (!list.charges().empty()) return true;
  fold(policy, decision);
  return false;
}

void Decider::complete(const Snapshot& snapshot, const ChargeList& list,
                       const store::Verdict& verdict, Decision& decision) const {
  const policy::Policy& policy = *snapshot.policy;
  decision.now = verdict.now;
  for (std::size_t i = 0; i < verdict.outcomes.size(); ++i) {
    decision.verdicts[list.verdict_of(i)].outcome = verdict.outcomes[i];
  }
  if (verdict.failed) {
    const bool peek = list.request(decision.peek).peek;
    apply_failure_policy(policy, list, peek, local_, verdict.now, decision);
  }
  if (verdict.unasked != 0) drop_unasked(list, verdict.unasked, decision);
  fold(policy, decision);
}

}  // namespace weir::decide
