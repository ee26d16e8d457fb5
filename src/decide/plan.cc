#include "decide/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "identity/counter_key.h"

namespace weir::decide {
namespace {

using policy::ClassId;
using policy::Limit;
using policy::LimitId;
using policy::NumbersKind;
using policy::Stage;

// Numbers the ways in which limits count a caller.
class Callers {
 public:
  std::uint16_t number(const Limit& limit) {
    Parts parts;
    for (const policy::KeyPart& part : limit.key) {
      if (!part.is_class) parts.push_back(part.alternatives);
    }
    if (parts.empty()) return Planned::kEverybody;
    const auto next = static_cast<std::uint16_t>(numbers_.size() + 1);
    return numbers_.emplace(std::pair(limit.on_missing, std::move(parts)), next).first->second;
  }

 private:
  using Parts = std::vector<std::vector<policy::KeyId>>;
  std::map<std::pair<policy::OnMissing, Parts>, std::uint16_t> numbers_;
};

// Charging order over both stages: most key parts first, global last, then file order.
std::vector<LimitId> in_order(const policy::Policy& policy, ClassId c) {
  const std::vector<LimitId>& pre = policy.limits_of(c, Stage::pre_auth);
  const std::vector<LimitId>& post = policy.limits_of(c, Stage::post_auth);
  std::vector<LimitId> all;
  std::merge(pre.begin(), pre.end(), post.begin(), post.end(), std::back_inserter(all),
             [&](LimitId a, LimitId b) {
               const std::size_t parts_a = policy.limits[a].key.size();
               const std::size_t parts_b = policy.limits[b].key.size();
               return parts_a != parts_b ? parts_a > parts_b : a < b;
             });
  return all;
}

bool by_class(const Limit& limit) {
  return std::any_of(limit.key.begin(), limit.key.end(),
                     [](const policy::KeyPart& part) { return part.is_class; });
}

Planned planned(const Limit& limit, LimitId id, std::uint16_t who, const base::Digest& class_key) {
  Planned p;
  p.limit = &limit;
  if (by_class(limit)) p.key = class_key;
  p.hold = limit.hold;
  p.id = id;
  p.who = who;
  p.stage = limit.stage;
  p.mode = limit.mode;
  p.prefetch = limit.prefetch && limit.mode != policy::Mode::shadow;
  return p;
}

std::vector<Planned> for_tier(const std::vector<Planned>& covering, const policy::Class& c,
                              policy::TierId tier) {
  std::vector<Planned> list;
  for (Planned p : covering) {
    if (p.apply(p.limit->tiers[tier], c.cost[p.limit->unit][tier])) list.push_back(p);
  }
  return list;
}

}  // namespace

bool Planned::apply(const policy::LimitNumbers& with, std::uint64_t at_cost) {
  numbers = &with;
  cost = at_cost;
  key = key ^ with.key;
  return with.kind != NumbersKind::absent && with.kind != NumbersKind::unlimited && cost != 0;
}

Plans::Plans(const policy::Policy& policy, const base::HashSecret& secret)
    : classes_(policy.classes.size()) {
  Callers callers;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const policy::Class& route_class = policy.classes[c];
    const base::Digest key = identity::class_key(secret, route_class.name);
    ClassPlan& plan = classes_[c];
    for (const LimitId id : in_order(policy, static_cast<ClassId>(c))) {
      const Limit& limit = policy.limits[id];
      plan.covering.push_back(planned(limit, id, callers.number(limit), key));
      plan.has_overrides = plan.has_overrides || !limit.overrides.empty();
    }
    for (std::size_t t = 0; t < policy.tiers.size(); ++t) {
      plan.tiers.push_back(for_tier(plan.covering, route_class, static_cast<policy::TierId>(t)));
    }
  }
}

}  // namespace weir::decide
