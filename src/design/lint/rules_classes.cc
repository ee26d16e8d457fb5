// Lint rules about classes: what they make no difference for, and patterns that hide each other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

using policy::Class;
using policy::Limit;
using policy::Pattern;
using policy::Policy;
using policy::Severity;

struct Route {
  std::size_t class_id;
  const Pattern* pattern;
};

// Patterns in the order in which they were added to the route table.
std::vector<Route> routes_of(const Policy& policy) {
  std::vector<Route> routes;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    for (const Pattern& pattern : policy.classes[c].match) routes.push_back({c, &pattern});
  }
  return routes;
}

std::string pattern_text(const Pattern& pattern) {
  return pattern.method.empty() ? quoted(pattern.path)
                                : quoted(pattern.method + " " + pattern.path);
}

bool every_cost_is_one(const Class& c) {
  return std::all_of(c.cost.begin(), c.cost.end(), [](const auto& tiers) {
    return std::all_of(tiers.begin(), tiers.end(), [](std::uint64_t cost) { return cost == 1; });
  });
}

}  // namespace

void classes_make_no_difference(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < policy.default_class(); ++c) {
    if (policy.classes[c].exempt) continue;
    if (!every_cost_is_one(policy.classes[c])) return;
    names.push_back(policy.classes[c].name);
  }
  if (names.size() < 2) return;
  for (const Limit& limit : policy.limits) {
    if (limit.mode == policy::Mode::off) continue;
    if (!covers_every_limited_class(policy, limit)) return;
    for (const policy::KeyPart& part : limit.key) {
      if (part.is_class) return;
    }
  }
  if (policy.limits.empty()) return;
  report.add(policy.limits.front().at,
             fmt::format("classes {} have the same limits and the same cost: a search is as cheap "
                         "as a read",
                         list(names)));
}

void unreachable_class(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  const std::vector<Route> routes = routes_of(policy);
  std::map<std::size_t, std::size_t> taken_by;  // a pattern -> the one before it
  for (const auto& [later, earlier] : policy.routes.shadowed()) {
    // A class with `when` is passed over where it does not hold, so it hides nothing for sure.
    if (later >= routes.size() || !policy.classes[routes[earlier].class_id].when.empty()) continue;
    taken_by.emplace(later, earlier);
  }
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    std::vector<std::size_t> mine;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      if (routes[r].class_id == c) mine.push_back(r);
    }
    const auto hidden = std::count_if(mine.begin(), mine.end(),
                                      [&](std::size_t r) { return taken_by.count(r) > 0; });
    const bool all = hidden > 0 && static_cast<std::size_t>(hidden) == mine.size();
    for (const std::size_t r : mine) {
      const auto taken = taken_by.find(r);
      if (taken == taken_by.end()) continue;
      const Route& by = routes[taken->second];
      const policy::Position at =
          routes[r].pattern->at.line != 0 ? routes[r].pattern->at : policy.classes[c].at;
      report.add(all ? Severity::error : Severity::warning, at,
                 fmt::format("{} of class {} is never reached: {} of {} matches first{}",
                             pattern_text(*routes[r].pattern), quoted(policy.classes[c].name),
                             pattern_text(*by.pattern), quoted(policy.classes[by.class_id].name),
                             all ? "" : " (the class has other patterns)"));
    }
  }
}

void overlapping_patterns(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  const std::vector<Route> routes = routes_of(policy);
  for (const auto& [later, earlier] : policy.routes.overlapping()) {
    if (later >= routes.size() || routes[later].class_id == routes[earlier].class_id) continue;
    const Route& a = routes[earlier];
    const Route& b = routes[later];
    report.add(b.pattern->at.line != 0 ? b.pattern->at : policy.classes[b.class_id].at,
               fmt::format("{} of {} and {} of {} match some of the same requests: the first in "
                           "the file, {}, takes them",
                           pattern_text(*b.pattern), quoted(policy.classes[b.class_id].name),
                           pattern_text(*a.pattern), quoted(policy.classes[a.class_id].name),
                           quoted(policy.classes[a.class_id].name)));
  }
}

void default_not_covered(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  if (policy.limits.empty() || covered(policy, policy.default_class())) return;
  report.add(policy.limits.front().at,
             "nothing limits requests that match no class (`default`): a path nobody thought of is "
             "unlimited");
}

}  // namespace weir::design::lint
