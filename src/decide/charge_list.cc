#include "decide/charge_list.h"

#include <algorithm>
#include <new>
#include <span>

#include "base/lazy_array.h"

namespace weir::decide {
namespace {

using identity::Filled;
using policy::LimitId;
using policy::LimitNumbers;
using policy::NumbersKind;
using policy::OnMissing;

bool holds(const policy::Override& o, identity::Caller& caller, Now now) {
  if (now.wall() >= o.until) return false;
  if (!o.account.empty()) {
    const identity::Account* account = caller.account();
    return account != nullptr && account->name == o.account;
  }
  const auto value = caller.value(o.key);
  return value && *value == o.value;
}

// A policy override, else the account's own numbers, else the tier's.
const LimitNumbers& numbers_for(const policy::Limit& limit, LimitId id, policy::TierId tier,
                                identity::Caller& caller, Now now, bool& from_override) {
  from_override = true;
  for (const policy::Override& o : limit.overrides) {
    if (holds(o, caller, now)) return o.numbers;
  }
  if (const identity::Account* account = caller.account()) {
    for (const auto& [limit_id, numbers] : account->overrides) {
      if (limit_id == id) return numbers;
    }
  }
  from_override = false;
  return limit.tiers[tier];
}

std::uint64_t cost_of(const policy::Policy& policy, const identity::Facts& facts,
                      const Decision& decision, policy::UnitId unit) {
  for (const identity::StatedCost& stated : facts.costs) {
    if (stated.unit.empty() || stated.unit == policy.units[unit]) return stated.cost;
  }
  return policy.classes[decision.class_id].cost[unit][decision.tier];
}

bool asks(identity::StageFilter filter, policy::Stage stage) {
  switch (filter) {
    case identity::StageFilter::all:
      return true;
    case identity::StageFilter::pre_auth:
      return stage == policy::Stage::pre_auth;
    case identity::StageFilter::post_auth:
      return stage == policy::Stage::post_auth;
  }
  return true;
}

Duration longest_delay(const identity::Facts& facts, Duration hold) {
  return facts.may_hold ? std::max(hold, facts.max_delay) : facts.max_delay;
}

// What a limit counts of the caller.
struct Who {
  std::uint16_t number = Planned::kEverybody;  // Planned::who
  bool missing = false;                        // a part that on_missing does not make up for
  bool shared = false;                         // counted by a shared address
  std::uint32_t tag = 0;
  base::Digest key;
};

}  // namespace

struct ChargeList::Context {
  Context(const Snapshot& s, const identity::Facts& f, identity::Caller& c, Decision& d)
      : snapshot(s), facts(f), caller(c), decision(d) {}

  // Worked out for the first limit of its number.
  const Who& who(const Planned& planned) {
    for (std::size_t i = 0; i < known; ++i) {
      if (whos[i].number == planned.who) return whos[i];
    }
    Who& who = whos.make(known++);
    who.number = planned.who;
    find(*planned.limit, who);
    return who;
  }
  void find(const policy::Limit& limit, Who& who);
  std::uint32_t tag_of(const policy::KeyPart& first, bool stand_in);

  const Snapshot& snapshot;
  const identity::Facts& facts;
  identity::Caller& caller;
  Decision& decision;

 private:
  std::size_t known = 0;
  base::LazyArray<Who, store::kMaxCharges> whos;
};

void ChargeList::Context::find(const policy::Limit& limit, Who& who) {
  const bool stand_in = limit.on_missing == OnMissing::address;
  const bool must_have = limit.on_missing == OnMissing::skip || limit.on_missing == OnMissing::deny;
  bool by_address = false;
  bool first = true;
  identity::KeyHasher key(snapshot.caller_start);
  for (const policy::KeyPart& part : limit.key) {
    if (part.is_class) continue;
    if (first && snapshot.tag_start) who.tag = tag_of(part, stand_in);
    first = false;
    const Filled filled = caller.append(key, part, stand_in);
    by_address = by_address || filled == Filled::by_address;
    if (filled != Filled::missing) continue;
    if (must_have) {
      who.missing = true;
      return;
    }
    // `shared`, or a surface that does not even know an address: such callers count together.
    key.part(identity::kMissingPart, {});
  }
  who.shared = by_address && caller.shared_address();
  who.key = key.finish();
}

// Limits whose key begins with the same value have the same tag, whatever else their keys hold.
std::uint32_t ChargeList::Context::tag_of(const policy::KeyPart& first, bool stand_in) {
  identity::KeyHasher hasher(*snapshot.tag_start);
  if (caller.append(hasher, first, stand_in) == Filled::missing) {
    hasher.part(identity::kMissingPart, {});
  }
  return std::max<std::uint32_t>(1, hasher.finish().lo & 0xffffff);
}

[[gnu::always_inline]] inline void ChargeList::add(const Planned& planned, Context& context) {
  static constexpr Who kEverybody;
  const bool no_plan = planned.numbers->kind == NumbersKind::deny;
  const bool asks_who = !no_plan && planned.who != Planned::kEverybody;
  const Who& who = asks_who ? context.who(planned) : kEverybody;
  if (who.missing && planned.limit->on_missing == OnMissing::skip) return;

  Decision& decision = context.decision;
  // Made in its place, its members alone set: clearing one and copying it took a third of this.
  LimitVerdict& verdict = *::new (&decision.verdicts[decision.count]) LimitVerdict;
  const auto index = static_cast<std::uint8_t>(decision.count++);
  verdict.limit = planned.id;
  verdict.mode = planned.mode;
  verdict.cost = planned.cost;
  verdict.numbers = planned.numbers;
  verdict.from_override = planned.from_override;
  if (no_plan) return deny(verdict, Reason::not_in_plan);
  if (who.missing) return deny(verdict, Reason::missing_key);
  verdict.shared = who.shared;
  verdict.slot = planned.numbers->slot;
  const base::Digest key = planned.key ^ who.key;
  verdict.key = key;

  store::Charge& charge = charges_.make(count_);
  charge.slot = verdict.slot;
  charge.tag = who.tag;
  charge.key = key;
  charge.numbers = verdict.shared ? &planned.numbers->shared : &planned.numbers->numbers;
  charge.cost = planned.cost;
  charge.max_delay = longest_delay(context.facts, planned.hold);
  charge.shadow = planned.mode == policy::Mode::shadow;
  charge.prefetch = planned.prefetch;
  verdict_of_[count_++] = index;
}

void ChargeList::collect(const Snapshot& snapshot, const identity::Facts& facts,
                         identity::Caller& caller, Now now, Decision& decision) {
  count_ = 0;
  denied_ = false;
  const ClassPlan& plan = snapshot.plans.of(decision.class_id);
  const identity::Account* const account = caller.account();
  std::span<const Planned> limits = plan.tiers[decision.tier];
  base::LazyArray<Planned, store::kMaxCharges> own;
  if (plan.has_overrides || !facts.costs.empty() ||
      (account != nullptr && !account->overrides.empty())) {
    std::size_t count = 0;
    for (const Planned& covering : plan.covering) {
      Planned& p = own.make(count) = covering;
      const LimitNumbers& numbers =
          numbers_for(*p.limit, p.id, decision.tier, caller, now, p.from_override);
      if (p.apply(numbers, cost_of(*snapshot.policy, facts, decision, p.limit->unit))) ++count;
    }
    limits = {own.data(), count};
  }
  Context context(snapshot, facts, caller, decision);
  for (const Planned& planned : limits) {
    if (asks(facts.stage, planned.stage)) add(planned, context);
  }
}

void ChargeList::deny(LimitVerdict& verdict, Reason reason) {
  verdict.outcome.admit = false;
  verdict.outcome.reason = reason;
  verdict.outcome.wait = Duration::max();
  if (verdict.mode == policy::Mode::enforce) denied_ = true;
}

Duration longest_delay(const identity::Facts& facts, const policy::Limit& limit) {
  return longest_delay(facts, limit.hold);
}

}  // namespace weir::decide
