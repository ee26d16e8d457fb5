// Lint rules about running a policy: overrides, and the callers inside the house.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

bool sounds_internal(std::string_view name) {
  constexpr std::array<std::string_view, 6> kWords{"internal", "service", "batch",
                                                   "job",      "worker",  "system"};
  const std::string low = lower(name);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

}  // namespace

void override_ended(const Context& context, Report& report) {
  for (const policy::Limit& limit : context.policy.limits) {
    for (const policy::Override& o : limit.overrides) {
      const std::string who = o.account.empty() ? o.value : o.account;
      if (o.reason.empty()) {
        report.add(o.at, fmt::format("the override of {} for {} gives no reason",
                                     quoted(limit.name), quoted(who)));
      }
      if (o.until > context.now) continue;
      report.add(o.at, fmt::format("the override of {} for {} ended at {} and does nothing",
                                   quoted(limit.name), quoted(who), instant_text(o.until)));
    }
  }
}

void nobody_named_may_ask(const Context& context, Report& report) {
  const std::string_view key = "listeners.allow_from";
  if (!context.policy.listeners.allow_from.empty() || !context.keys.has(key)) return;
  report.add(context.keys.at(key),
             "`allow_from` names nobody: only this machine may ask, any other gateway gets 403");
}

void internal_callers_exempt(const Context& context, Report& report) {
  for (const policy::Class& c : context.policy.classes) {
    if (!c.exempt || c.when.empty()) continue;
    report.add(c.at, fmt::format("class {} takes a caller out of every limit: a loop in it is "
                                 "unlimited",
                                 quoted(c.name)));
  }
}

void no_internal_callers(const Context& context, Report& report) {
  const policy::Policy& policy = context.policy;
  if (policy.tiers.size() < 2 || !knows_callers(policy)) return;
  const bool tier = std::any_of(policy.tiers.begin(), policy.tiers.end(),
                                [](const policy::Tier& t) { return sounds_internal(t.name); });
  const bool by_attribute = std::any_of(policy.classes.begin(), policy.classes.end(),
                                        [](const policy::Class& c) { return !c.when.empty(); });
  if (tier || by_attribute) return;
  report.add(policy.tiers.back().at,
             "the plans are for customers: no tier and no class limits your own services and jobs");
}

}  // namespace weir::design::lint
