// Lint rules about costs.
#include <fmt/format.h>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

// The first class whose cost can never be paid under `limit` in tier `t`.
const policy::Class* too_dear(const policy::Policy& policy, const policy::Limit& limit,
                              std::size_t t) {
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (limit.covers[c] && policy.classes[c].cost[limit.unit][t] > limit.tiers[t].numbers.burst) {
      return &policy.classes[c];
    }
  }
  return nullptr;
}

}  // namespace

void cost_never_fits(const Context& context, Report& report) {
  const policy::Policy& policy = context.policy;
  for (const policy::Limit& limit : policy.limits) {
    if (limit.mode == policy::Mode::off) continue;
    for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
      if (!has_numbers(limit.tiers[t])) continue;
      const policy::Class* c = too_dear(policy, limit, t);
      if (c == nullptr) continue;
      report.add(
          enforced(limit) ? policy::Severity::error : policy::Severity::warning,
          where(limit, limit.tiers[t]),
          fmt::format("a request of class {} costs tier {} {} {} but {} holds at most {}: it "
                      "can never be admitted",
                      quoted(c->name), quoted(policy.tiers[t].name),
                      count_text(c->cost[limit.unit][t]), policy.units[limit.unit],
                      quoted(limit.name), count_text(limit.tiers[t].numbers.burst)));
    }
  }
}

}  // namespace weir::design::lint
