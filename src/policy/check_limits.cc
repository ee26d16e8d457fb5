// What only shows when all limits are there: duplicates, too many at once, classes without any.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

bool same_key(const std::vector<KeyPart>& a, const std::vector<KeyPart>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const KeyPart& x, const KeyPart& y) {
    return x.is_class == y.is_class && x.alternatives == y.alternatives;
  });
}

// Same requests, same counters, same numbers: the second decides nothing.
bool same_limit(const Limit& a, const Limit& b) {
  const bool same_numbers =
      std::equal(a.tiers.begin(), a.tiers.end(), b.tiers.begin(), b.tiers.end(),
                 [](const LimitNumbers& x, const LimitNumbers& y) {
                   return x.kind == y.kind && x.numbers == y.numbers;
                 });
  return same_numbers && a.algorithm == b.algorithm && a.stage == b.stage && a.mode == b.mode &&
         a.unit == b.unit && a.covers == b.covers && a.on_missing == b.on_missing &&
         same_key(a.key, b.key);
}

// Equal for the same limits; for others hardly ever, so that thousands are not compared in pairs.
std::size_t fingerprint(const Limit& limit) {
  std::size_t hash = std::hash<std::vector<bool>>{}(limit.covers);
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9E3779B97F4A7C15; };
  mix(limit.key.size());
  for (const LimitNumbers& tier : limit.tiers) {
    mix(tier.numbers.count);
    mix(tier.numbers.period_ns);
    mix(tier.numbers.burst);
  }
  return hash;
}

void check_duplicates(Build& build) {
  const std::vector<Limit>& limits = build.policy.limits;
  std::unordered_map<std::size_t, std::vector<const Limit*>> seen;
  for (const Limit& limit : limits) {
    std::vector<const Limit*>& alike = seen[fingerprint(limit)];
    const auto same = std::find_if(alike.begin(), alike.end(), [&](const Limit* earlier) {
      return same_limit(limit, *earlier);
    });
    if (same != alike.end()) {
      build.report.error(limit.at,
                         quoted(limit.name) + " is the same limit as " + quoted((*same)->name) +
                             " in line " + std::to_string((*same)->at.line),
                         "remove one: same classes, key, unit and numbers");
    }
    alike.push_back(&limit);
  }
}

void check_classes(Build& build) {
  const Policy& policy = build.policy;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    const Class& one = policy.classes[c];
    std::size_t covering = 0;
    for (const Limit& limit : policy.limits) {
      if (limit.mode != Mode::off && limit.covers[c]) ++covering;
    }
    const bool declared = c < policy.default_class();
    if (covering > kMaxMatching) {
      build.report.error(declared ? one.at : policy.limits.back().at,
                         std::to_string(covering) + " limits match class " + quoted(one.name),
                         "at most " + std::to_string(kMaxMatching) + " for one request");
    }
    if (declared && covering == 0 && !one.exempt) {
      build.report.error(one.at, "class " + quoted(one.name) + " has no limit",
                         "name it in a limit's `classes`, or write `exempt: true`");
    }
  }
}

bool built_in(std::string_view unit) {
  return unit == "requests" || unit == "points" || unit == "tokens";
}

// A unit of the file's own must be both charged and counted, or one of its names is misspelt.
void check_units(Build& build) {
  const Policy& policy = build.policy;
  const Node* classes = get(build.root, "classes");
  for (const Node& item : classes == nullptr ? std::vector<Node>{} : classes->items) {
    const Node* cost = get(item, "cost");
    if (cost == nullptr) continue;
    for (const Entry& entry : cost->entries) {
      const std::string unit = plural_unit(entry.key);
      const bool counted =
          std::any_of(policy.limits.begin(), policy.limits.end(),
                      [&](const Limit& limit) { return policy.units[limit.unit] == unit; });
      if (counted || entry.key == "*") continue;
      std::vector<std::string> words{"requests", "points", "tokens"};
      for (const Limit& limit : policy.limits) words.push_back(policy.units[limit.unit]);
      if (built_in(unit)) {
        build.report.warning(entry.at, "no limit counts " + quoted(unit),
                             "the cost is never charged; give a limit `unit: " + unit + "`");
      } else {
        build.report.error(entry.at, "unknown unit " + quoted(unit) + ": no limit counts it",
                           build.near_name(unit, words));
      }
    }
  }
  for (const Limit& limit : policy.limits) {
    const std::string& unit = policy.units[limit.unit];
    const bool charged = std::any_of(
        policy.classes.begin(), policy.classes.end(),
        [&](const Class& c) { return c.cost.size() > limit.unit && !c.cost[limit.unit].empty(); });
    if (charged || built_in(unit)) continue;
    std::vector<std::string> words{"requests", "points", "tokens"};
    build.report.error(limit.at,
                       "unknown unit " + quoted(unit) + " of limit " + quoted(limit.name) +
                           ": no class has a cost in it",
                       build.near_name(unit, words));
  }
}

void note_surfaces(Build& build) {
  for (const Limit& limit : build.policy.limits) {
    if (limit.algorithm != Algorithm::leaky_bucket) continue;
    const std::string held =
        limit.hold.ns == 0 ? "`/v1/auth` admits only what need not wait (see `hold`)"
                           : "`/v1/auth` holds its answer up to " + print_duration(limit.hold);
    build.report.info(limit.at,
                      quoted(limit.name) +
                          " is a queue: `/v1/check` and the library "
                          "return the delay and the caller waits",
                      held);
  }
}

}  // namespace

void check_limits(Build& build) {
  check_duplicates(build);
  if (!build.limits_bad && !build.classes_bad) {
    check_classes(build);
    check_units(build);
  }
  note_surfaces(build);
}

}  // namespace weir::policy
