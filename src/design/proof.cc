#include "design/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "algo/numbers.h"
#include "design/text.h"

namespace weir::design {
namespace {

using policy::Limit;
using policy::LimitId;
using policy::LimitNumbers;
using policy::NumbersKind;
using policy::Policy;

// The one set of numbers that every caller of a limit gets; null where it depends on the caller.
const algo::Numbers* numbers_for_all(const decide::Snapshot& snapshot, LimitId id) {
  const Limit& limit = snapshot.policy->limits[id];
  const algo::Numbers* same = nullptr;
  bool differs = false;
  const auto look_at = [&](const LimitNumbers& n) {
    if (n.kind == NumbersKind::deny) return;
    if (n.kind != NumbersKind::numbers || (same != nullptr && *same != n.numbers)) differs = true;
    same = &n.numbers;
  };
  for (const LimitNumbers& n : limit.tiers) look_at(n);
  for (const policy::Override& o : limit.overrides) look_at(o.numbers);
  if (snapshot.accounts != nullptr) {
    for (const auto& [hash, account] : snapshot.accounts->entries()) {
      for (const auto& [limit_id, n] : account.overrides) {
        if (limit_id == id) look_at(n);
      }
    }
  }
  return differs ? nullptr : same;
}

bool charges(const Policy& policy, LimitId id, std::size_t class_id, policy::UnitId unit) {
  const Limit& limit = policy.limits[id];
  if (!limit.covers[class_id]) return false;
  const std::vector<std::uint64_t>& costs = policy.classes[class_id].cost[unit];
  return std::none_of(costs.begin(), costs.end(), [](std::uint64_t cost) { return cost == 0; });
}

bool may_bound(const decide::Snapshot& snapshot, LimitId id, const policy::Guarantee& guarantee) {
  const Limit& limit = snapshot.policy->limits[id];
  return limit.key.empty() && limit.mode == policy::Mode::enforce && limit.unit == guarantee.unit &&
         numbers_for_all(snapshot, id) != nullptr;
}

std::uint64_t bound_of(const decide::Snapshot& snapshot, LimitId id, Duration window) {
  return algo::envelope(*numbers_for_all(snapshot, id), window);
}

std::vector<std::size_t> classes_of(const policy::Guarantee& guarantee) {
  std::vector<std::size_t> ids;
  for (std::size_t c = 0; c < guarantee.covers.size(); ++c) {
    if (guarantee.covers[c]) ids.push_back(c);
  }
  return ids;
}

// The limits whose sum bounds the guarantee when each class takes its own tightest one. Empty: some
// class has none.
std::set<LimitId> by_class(const decide::Snapshot& snapshot, const policy::Guarantee& guarantee) {
  std::set<LimitId> chosen;
  for (const std::size_t c : classes_of(guarantee)) {
    std::optional<LimitId> best;
    for (LimitId id = 0; id < snapshot.policy->limits.size(); ++id) {
      if (!may_bound(snapshot, id, guarantee)) continue;
      if (!charges(*snapshot.policy, id, c, guarantee.unit)) continue;
      if (!best ||
          bound_of(snapshot, id, guarantee.window) < bound_of(snapshot, *best, guarantee.window)) {
        best = id;
      }
    }
    if (!best) return {};
    chosen.insert(*best);
  }
  return chosen;
}

}  // namespace

std::vector<LimitId> covering_limits(const decide::Snapshot& snapshot,
                                     const policy::Guarantee& guarantee) {
  std::vector<LimitId> ids;
  const std::vector<std::size_t> classes = classes_of(guarantee);
  for (LimitId id = 0; id < snapshot.policy->limits.size(); ++id) {
    if (!may_bound(snapshot, id, guarantee)) continue;
    if (std::all_of(classes.begin(), classes.end(), [&](std::size_t c) {
          return charges(*snapshot.policy, id, c, guarantee.unit);
        })) {
      ids.push_back(id);
    }
  }
  return ids;
}

std::string envelope_arithmetic(const algo::Numbers& n, Duration window) {
  const std::string total = short_count(algo::envelope(n, window));
  const std::string limit = short_count(n.count);
  const std::string w = duration_text(window);
  switch (n.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket:
      return fmt::format("{} + {} x {} = {}", short_count(n.burst), rate_text(n.count, n.period_ns),
                         w, total);
    case Algorithm::fixed_window:
      return fmt::format("{} x {} windows that {} can touch = {}", limit,
                         algo::envelope(n, window) / n.count, w, total);
    case Algorithm::sliding_window:
      return fmt::format("{} x (1 + {} / {}) = {}", limit, w, duration_text({n.period_ns}), total);
    case Algorithm::sliding_log:
      return fmt::format("{} x {} = {}", limit, window.ns / n.period_ns + 1, total);
  }
  return total;
}

Proof prove(const decide::Snapshot& snapshot, const policy::Guarantee& guarantee) {
  Proof proof;
  for (const LimitId id : covering_limits(snapshot, guarantee)) {
    const std::uint64_t bound = bound_of(snapshot, id, guarantee.window);
    if (bound < proof.bound) {
      proof.bound = bound;
      proof.limits = {id};
    }
  }
  const std::set<LimitId> sum = by_class(snapshot, guarantee);
  std::uint64_t total = sum.empty() ? ~std::uint64_t{0} : 0;
  for (const LimitId id : sum) {
    total = detail::saturating_add(total, bound_of(snapshot, id, guarantee.window));
  }
  if (total < proof.bound) {
    proof.bound = total;
    proof.limits.assign(sum.begin(), sum.end());
  }
  proof.proved = !proof.limits.empty() && proof.bound <= guarantee.max;
  if (proof.limits.empty()) {
    proof.arithmetic = "no enforced limit with `key: global` covers all of its classes";
    return proof;
  }
  for (const LimitId id : proof.limits) {
    if (!proof.arithmetic.empty()) proof.arithmetic += "; ";
    proof.arithmetic += snapshot.policy->limits[id].name + ": " +
                        envelope_arithmetic(*numbers_for_all(snapshot, id), guarantee.window);
  }
  if (proof.limits.size() > 1) proof.arithmetic += "; together " + short_count(proof.bound);
  proof.arithmetic += fmt::format(" {} {}", proof.proved ? "<=" : ">", short_count(guarantee.max));
  return proof;
}

}  // namespace weir::design
