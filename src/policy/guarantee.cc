// The proof of a guarantee: the smallest envelope among the limits that bound all its classes.
#include "policy/guarantee.h"

#include <algorithm>
#include <vector>

#include "algo/numbers.h"
#include "algo/prefetch.h"
#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

bool is_bucket(const algo::Numbers& n) {
  return n.algorithm == Algorithm::token_bucket || n.algorithm == Algorithm::leaky_bucket;
}

// The numbers that bound the one counter whoever calls; nullopt where there are none.
std::optional<algo::Numbers> numbers_for_all(const Limit& limit) {
  std::optional<algo::Numbers> all;
  for (const LimitNumbers& tier : limit.tiers) {
    if (tier.kind == NumbersKind::deny) continue;
    if (tier.kind != NumbersKind::numbers) return std::nullopt;
    if (!all) all = tier.numbers;
    if (*all == tier.numbers) continue;
    // A bucket read under other numbers forgets debt; a window keeps what was used.
    if (is_bucket(tier.numbers) || all->period_ns != tier.numbers.period_ns) return std::nullopt;
    if (tier.numbers.count > all->count) all = tier.numbers;
  }
  return all;
}

bool covers_all(const Limit& limit, const Guarantee& guarantee) {
  for (std::size_t c = 0; c < guarantee.covers.size(); ++c) {
    if (guarantee.covers[c] && !limit.covers[c]) return false;
  }
  return true;
}

std::string sum(const algo::Numbers& n, Duration window, std::uint64_t envelope,
                std::uint64_t unspent) {
  const std::string w = print_duration(window);
  const std::string count = print_count(n.count);
  std::string left;
  switch (n.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket:
      left = print_count(n.burst) + " + " + print_rate(n.count, Duration{n.period_ns}) + " x " + w;
      break;
    case Algorithm::fixed_window:
    case Algorithm::sliding_log:
      left = count + " x " + print_count(envelope / n.count) + " windows of " +
             print_duration(Duration{n.period_ns});
      break;
    case Algorithm::sliding_window:
      left = count + " x (1 + " + w + " / " + print_duration(Duration{n.period_ns}) + ")";
      break;
  }
  if (unspent > 0) left += " + " + print_count(unspent) + " prefetched";
  return left + " = " + print_count(detail::saturating_add(envelope, unspent));
}

}  // namespace

std::uint64_t most_unspent(const Policy& policy, const Limit& limit, const algo::Numbers& numbers) {
  if (!limit.prefetch) return 0;
  return detail::saturating_mul(algo::most_prefetched(numbers), policy.instances);
}

namespace {

// Each set of numbers that the one counter is read under takes tokens for itself.
std::uint64_t most_unspent(const Policy& policy, const Limit& limit) {
  std::vector<algo::Numbers> seen;
  std::uint64_t sum = 0;
  for (const LimitNumbers& tier : limit.tiers) {
    if (tier.kind != NumbersKind::numbers) continue;
    if (std::find(seen.begin(), seen.end(), tier.numbers) != seen.end()) continue;
    seen.push_back(tier.numbers);
    sum = detail::saturating_add(sum, most_unspent(policy, limit, tier.numbers));
  }
  return sum;
}

}  // namespace

GuaranteeProof prove(const Policy& policy, const Guarantee& guarantee) {
  GuaranteeProof proof;
  std::optional<algo::Numbers> best;
  std::uint64_t unspent = 0;
  const Duration half_open = guarantee.window - nanoseconds(1);
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const Limit& limit = policy.limits[i];
    if (!limit.key.empty() || limit.mode != Mode::enforce || limit.unit != guarantee.unit) continue;
    if (!covers_all(limit, guarantee)) continue;
    const auto numbers = numbers_for_all(limit);
    if (!numbers) continue;
    const std::uint64_t held = most_unspent(policy, limit);
    const std::uint64_t bound = detail::saturating_add(algo::envelope(*numbers, half_open), held);
    if (best && bound >= proof.bound) continue;
    best = numbers;
    unspent = held;
    proof.bound = bound;
    proof.limit = static_cast<LimitId>(i);
  }
  if (!best) {
    proof.text = "no enforced limit with `key: global` in " + policy.units[guarantee.unit] +
                 " covers all its classes with the same numbers for all tiers";
    return proof;
  }
  proof.proved = proof.bound <= guarantee.max;
  proof.text = policy.limits[*proof.limit].name + ": " +
               sum(*best, guarantee.window, proof.bound - unspent, unspent) +
               (proof.proved ? " <= " : " > ") + print_count(guarantee.max);
  return proof;
}

namespace {

// Windows are what an author may have taken for a guarantee: what they admit has codes of its own.
void refute(Build& build, const Guarantee& guarantee, const GuaranteeProof& proof) {
  const char* code = "WR127";
  std::string why;
  if (proof.limit) {
    const Algorithm algorithm = build.policy.limits[*proof.limit].algorithm;
    if (algorithm == Algorithm::fixed_window) {
      code = "WR120";
      why = "; a fixed_window admits its whole limit on both sides of a boundary";
    } else if (algorithm == Algorithm::sliding_window) {
      code = "WR121";
      why = "; a sliding_window estimates, and admits up to twice its limit";
    }
    if (build.policy.limits[*proof.limit].prefetch) why += "; without `prefetch` it would be less";
  }
  build.report.error(guarantee.at,
                     "guarantee `" + guarantee.name + "` is refuted: " + proof.text + why,
                     "raise `max`, or lower the limit's numbers", code);
}

}  // namespace

void compile_guarantees(Build& build) {
  const Node* list = get(build.root, "guarantees");
  if (list == nullptr) return;
  std::map<std::string, Position, std::less<>> names;
  for (const Node& item : list->items) {
    if (item.bad || !item.is_mapping()) continue;
    Guarantee g;
    g.at = item.at;
    g.name = text_of(item, "name");
    const auto [first, fresh] = names.emplace(g.name, g.at);
    if (!fresh && !g.name.empty()) {
      build.report.error(g.at, "duplicate guarantee `" + g.name + "`",
                         "the first is in line " + std::to_string(first->second.line));
    }
    auto covers = compile_covers(build, item);
    const auto max = count_of(item, "max");
    const auto window = duration_of(item, "window");
    const Node* unit = get(item, "unit");
    if (!covers || !max || !window || unit == nullptr) continue;
    g.covers = std::move(*covers);
    g.max = *max;
    g.window = *window;
    const std::string word = plural_unit(unit->text);
    bool counted = word == "requests";
    for (const Limit& limit : build.policy.limits) {
      counted = counted || build.policy.units[limit.unit] == word;
    }
    if (!counted && !build.limits_bad) {
      build.report.error(unit->at, "no limit counts `" + printable(word) + "`",
                         build.near_name(word, build.policy.units));
      continue;
    }
    g.unit = build.unit(word, unit->at);
    build.policy.guarantees.push_back(g);
    if (build.limits_bad) continue;  // what is missing could be the proof
    const GuaranteeProof proof = prove(build.policy, g);
    if (proof.proved) continue;
    refute(build, g, proof);
  }
}

}  // namespace weir::policy
