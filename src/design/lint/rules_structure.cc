// Lint rules about limits and tiers that do not fit together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "algo/numbers.h"
#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

using policy::Limit;
using policy::LimitNumbers;
using policy::NumbersKind;
using policy::Policy;

// Does each part of `coarse` appear in `fine`? Then whoever shares a counter of `fine` shares one
// of `coarse`.
bool key_within(const Limit& coarse, const Limit& fine) {
  return std::all_of(coarse.key.begin(), coarse.key.end(), [&](const policy::KeyPart& part) {
    return std::any_of(fine.key.begin(), fine.key.end(), [&](const policy::KeyPart& other) {
      return other.is_class == part.is_class && other.alternatives == part.alternatives;
    });
  });
}

// Whenever `b` alone would admit, `a` would too.
bool always_first(const algo::Numbers& b, const algo::Numbers& a) {
  if (a.algorithm != b.algorithm) return false;
  switch (a.algorithm) {
    case Algorithm::token_bucket:
      return b.burst <= a.burst && compare_rate(b, a) <= 0;
    case Algorithm::sliding_log:
      return b.count <= a.count && b.period_ns >= a.period_ns;
    case Algorithm::fixed_window:
      return b.count <= a.count && a.align == Align::epoch && b.align == Align::epoch &&
             b.period_ns % a.period_ns == 0;
    case Algorithm::sliding_window:
      return b.count <= a.count && b.period_ns == a.period_ns && a.align == b.align;
    case Algorithm::leaky_bucket:
      return false;
  }
  return false;
}

// `b` denies whenever `a` would, in the classes that both cover.
bool dominates(const Limit& b, const Limit& a) {
  if (!enforced(b) || b.unit != a.unit || b.stage != a.stage || b.on_missing != a.on_missing ||
      !b.overrides.empty() || !key_within(b, a)) {
    return false;
  }
  bool any = false;
  for (std::size_t t = 0; t < a.tiers.size(); ++t) {
    if (!has_numbers(a.tiers[t])) continue;
    any = true;
    if (!has_numbers(b.tiers[t])) return false;
    if (!always_first(b.tiers[t].numbers, a.tiers[t].numbers)) return false;
  }
  return any;
}

// Which classes each limit covers, 64 a word: all pairs of limits are compared.
class Coverage {
 public:
  explicit Coverage(const std::vector<Limit>& limits)
      : words_(limits.empty() ? 0 : (limits[0].covers.size() + 63) / 64),
        bits_(limits.size() * words_) {
    for (std::size_t l = 0; l < limits.size(); ++l) {
      for (std::size_t c = 0; c < limits[l].covers.size(); ++c) {
        if (limits[l].covers[c]) bits_[l * words_ + c / 64] |= std::uint64_t{1} << c % 64;
      }
      std::size_t first = 0;
      while (first < words_ && bits_[l * words_ + first] == 0) ++first;
      first_.push_back(first);
    }
  }

  // Every class that `narrow` covers, `wide` covers too.
  bool contains(std::size_t wide, std::size_t narrow) const {
    for (std::size_t i = first_[narrow]; i < words_; ++i) {
      if ((bits_[narrow * words_ + i] & ~bits_[wide * words_ + i]) != 0) return false;
    }
    return true;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> first_;  // the first word that is not 0
};

bool gives_less(const LimitNumbers& b, const LimitNumbers& a) {
  if (b.kind == NumbersKind::absent || a.kind == NumbersKind::absent) return false;
  if (a.kind == NumbersKind::unlimited) return b.kind != NumbersKind::unlimited;
  if (b.kind == NumbersKind::deny) return a.kind == NumbersKind::numbers;
  if (!has_numbers(a) || !has_numbers(b)) return false;
  return compare_rate(b.numbers, a.numbers) < 0;
}

// Limits that the short form made of one list of rates: plan-second, plan-day.
std::string family(const Limit& limit) { return limit.name.substr(0, limit.name.find('-')); }

bool covered_by_family(const Policy& policy, const Limit& limit, std::size_t tier) {
  return std::any_of(policy.limits.begin(), policy.limits.end(), [&](const Limit& other) {
    return &other != &limit && family(other) == family(limit) &&
           other.tiers[tier].kind != NumbersKind::absent;
  });
}

}  // namespace

void tier_missing(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.mode == policy::Mode::off) continue;
    for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
      if (limit.tiers[t].kind != NumbersKind::absent || policy.tiers[t].custom) continue;
      if (covered_by_family(policy, limit, t)) continue;
      report.add(limit.at,
                 fmt::format("{} says nothing for tier {} and has no \"*\": those callers "
                             "are not limited by it",
                             quoted(limit.name), quoted(policy.tiers[t].name)));
    }
  }
}

void tiers_not_monotone(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    for (std::size_t t = 1; t < limit.tiers.size(); ++t) {
      const LimitNumbers& below = limit.tiers[t - 1];
      const LimitNumbers& above = limit.tiers[t];
      if (!gives_less(above, below)) continue;
      report.add(where(limit, above),
                 fmt::format("{} gives tier {} ({}) less than {} ({}), which ranks below it",
                             quoted(limit.name), quoted(policy.tiers[t].name), numbers_text(above),
                             quoted(policy.tiers[t - 1].name), numbers_text(below)));
    }
  }
}

void dead_limit(const Context& context, Report& report) {
  const std::vector<Limit>& limits = context.policy.limits;
  const Coverage coverage(limits);
  const auto dead_beside = [&](std::size_t a, std::size_t b) {
    return coverage.contains(b, a) && dominates(limits[b], limits[a]);
  };
  for (std::size_t a = 0; a < limits.size(); ++a) {
    if (!enforced(limits[a]) || !limits[a].overrides.empty()) continue;
    for (std::size_t b = 0; b < limits.size(); ++b) {
      // Of two that are equal the later one is the dead one.
      if (a == b || !dead_beside(a, b)) continue;
      if (a < b && dead_beside(b, a)) continue;
      report.add(limits[a].at, fmt::format("{} never decides: {} always denies first",
                                           quoted(limits[a].name), quoted(limits[b].name)));
      break;
    }
  }
}

void long_window_alone(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  const auto window = [](const Limit& limit, std::size_t tier) {
    return has_numbers(limit.tiers[tier]) ? algo::published_window(limit.tiers[tier].numbers)
                                          : Duration{};
  };
  for (const Limit& limit : policy.limits) {
    if (!enforced(limit) || is_global(limit)) continue;
    for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
      const Duration own = window(limit, t);
      if (own < hours(1)) continue;
      const bool accompanied =
          std::any_of(policy.limits.begin(), policy.limits.end(), [&](const Limit& other) {
            const Duration w = window(other, t);
            return enforced(other) && !is_global(other) && w.ns > 0 && w.ns <= own.ns / 10 &&
                   covers_all_of(other, limit);
          });
      if (accompanied) continue;
      report.add(
          where(limit, limit.tiers[t]),
          fmt::format("{} ({}) may be spent in an instant: no shorter limit stands beside it "
                      "for tier {}",
                      quoted(limit.name), numbers_text(limit.tiers[t]),
                      quoted(policy.tiers[t].name)));
      break;
    }
  }
}

void no_global_limit(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  const bool any = std::any_of(policy.limits.begin(), policy.limits.end(), [&](const Limit& limit) {
    return is_global(limit) && enforced(limit) && covers_every_limited_class(policy, limit);
  });
  if (any || policy.limits.empty()) return;
  report.add(context.keys.at(context.keys.has("limits") ? "limits" : "tiers"),
             "no limit with `key: global` covers everything: many callers within their limits can "
             "still overload the API");
}

void custom_account_without_numbers(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  const auto* accounts = context.snapshot.accounts.get();
  if (accounts == nullptr) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> found;  // in file order
  std::set<std::string> seen;
  for (const auto& entry : accounts->entries()) {
    const identity::Account& account = entry.second;  // clang 14 captures no structured binding
    if (!policy.tiers[account.tier].custom || !account.overrides.empty()) continue;
    const bool tier_has_numbers =
        std::any_of(policy.limits.begin(), policy.limits.end(), [&](const Limit& limit) {
          return !is_global(limit) && has_numbers(limit.tiers[account.tier]);
        });
    if (tier_has_numbers || !seen.insert(account.name).second) continue;
    found.emplace(std::pair{account.at.line, account.at.column}, account.name);
  }
  for (const auto& [at, name] : found) {
    report.add_in(policy.accounts_file, {at.first, at.second},
                  fmt::format("account {} has a custom tier but no numbers of its own, and the "
                              "tier has none either",
                              quoted(name)));
  }
}

}  // namespace weir::design::lint
