#include "design/fit/key_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "design/fit/burst.h"
#include "design/fit/quantile.h"

namespace weir::design {
namespace {

std::size_t busy(std::span<const Trace> keys) {
  return static_cast<std::size_t>(
      std::count_if(keys.begin(), keys.end(), [](const Trace& key) { return key.size() > 0; }));
}

// The value that bounds the quantile, or the largest where none does.
double bound_of(std::vector<double>& values, double quantile) {
  const std::size_t place = bound_place(values.size(), quantile).value_or(values.size());
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double burst_of_quantile(std::span<const Trace> keys, double rate, double quantile) {
  std::vector<double> bursts;
  for (const Trace& key : keys) {
    if (key.size() > 0) bursts.push_back(minimal_burst(key, rate).burst);
  }
  return bound_of(bursts, quantile);
}

// From far below what the keys send on average to beyond what they need at any instant.
RateGrid rates_for(std::span<const Trace> keys) {
  double lowest = std::numeric_limits<double>::max();
  double highest = 0;
  for (const Trace& key : keys) {
    if (key.size() == 0) continue;
    double units = 0;
    for (std::size_t i = 0; i < key.size(); ++i) units += key.cost(i);
    const double length = std::max(1.0, static_cast<double>(key.at_ns.back() - key.at_ns[0]) / 1e9);
    lowest = std::min(lowest, units / length);
    highest = std::max(highest, units);
  }
  lowest = std::max(lowest / 10, 1e-5);
  return rate_grid(lowest, std::max(highest, 10 * lowest));
}

double best_rate(std::span<const Trace> keys, const KeyFitOptions& options) {
  const RateGrid rates = rates_for(keys);
  std::vector<std::vector<double>> bursts(kRates);
  for (const Trace& key : keys) {
    if (key.size() == 0) continue;
    const RateGrid of_key = minimal_bursts(key, rates);
    for (std::size_t i = 0; i < kRates; ++i) bursts[i].push_back(of_key[i]);
  }
  double best = rates[0];
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < kRates; ++i) {
    const double most = bound_of(bursts[i], options.quantile) + rates[i] * options.horizon_s;
    if (most >= least) continue;
    least = most;
    best = rates[i];
  }
  return best;
}

struct Numbers {
  double needed_rate = 0;
  double needed_burst = 0;
  NiceRate rate;
  std::uint64_t burst = 0;
};

Numbers numbers_for(std::span<const Trace> keys, const KeyFitOptions& options) {
  Numbers n;
  n.needed_rate = best_rate(keys, options);
  n.needed_burst = burst_of_quantile(keys, n.needed_rate, options.quantile);
  n.rate = nice_rate(n.needed_rate * options.headroom);
  // A rounded rate needs another burst.
  const double burst = burst_of_quantile(keys, n.rate.units_a_second(), options.quantile);
  n.burst = static_cast<std::uint64_t>(
      std::llround(nice_number(std::max(1.0, burst * options.headroom))));
  return n;
}

Trace part_of(const Trace& key, std::int64_t from_ns, std::int64_t to_ns) {
  Trace part;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key.at_ns[i] < from_ns || key.at_ns[i] >= to_ns) continue;
    part.at_ns.push_back(key.at_ns[i]);
    if (!key.costs.empty()) part.costs.push_back(key.costs[i]);
  }
  return part;
}

void validate(std::span<const Trace> keys, const KeyFitOptions& options, KeyFit& fit) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const Trace& key : keys) {
    if (key.size() == 0) continue;
    first = std::min(first, key.at_ns.front());
    last = std::max(last, key.at_ns.back());
  }
  const std::int64_t cut = first + (last - first) / 3 * 2;
  std::vector<Trace> early, late;
  for (const Trace& key : keys) {
    early.push_back(part_of(key, first, cut));
    late.push_back(part_of(key, cut, std::numeric_limits<std::int64_t>::max()));
  }
  if (busy(early) == 0) return;
  const Numbers n = numbers_for(early, options);
  const double rate = n.rate.units_a_second();
  const auto burst = static_cast<double>(n.burst);
  fit.out_of_sample = effect(late, rate, burst);
  const double before = effect(early, rate, burst).rejected_share();
  fit.holds = fit.out_of_sample.rejected_share() <= std::max(2 * before, 0.001);
}

}  // namespace

NiceRate nice_rate(double units_a_second) {
  NiceRate best;
  for (const std::uint32_t per_s : {1u, 60u, 3'600u}) {
    const double count = nice_number(units_a_second * per_s);
    if (count < 1) continue;  // less than one in that time
    const NiceRate rate{static_cast<std::uint64_t>(std::llround(count)), per_s};
    if (best.count == 0 || rate.units_a_second() * 1.1 < best.units_a_second()) best = rate;
  }
  if (best.count == 0 && units_a_second > 0) best = {1, 3'600};
  return best;
}

Effect effect(std::span<const Trace> keys, double rate, double burst) {
  Effect sum;
  for (const Trace& key : keys) {
    if (key.size() == 0) continue;
    const Rejected rejected = rejected_by(key, rate, burst);
    sum.requests += key.size();
    sum.rejected += rejected.requests;
    ++sum.keys;
    sum.hurt_keys += rejected.requests > 0 ? 1 : 0;
  }
  return sum;
}

KeyFit fit_keys(std::span<const Trace> keys, const KeyFitOptions& options) {
  KeyFit fit;
  const std::size_t n = busy(keys);
  if (n == 0) return fit;
  const Numbers numbers = numbers_for(keys, options);
  fit.rate = numbers.rate;
  fit.burst = numbers.burst;
  fit.needed_rate = numbers.needed_rate;
  fit.needed_burst = numbers.needed_burst;
  fit.bounded = bound_place(n, options.quantile).has_value();
  fit.in_sample = effect(keys, fit.rate.units_a_second(), static_cast<double>(fit.burst));
  validate(keys, options, fit);
  return fit;
}

}  // namespace weir::design
