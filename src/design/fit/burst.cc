#include "design/fit/burst.h"

#include <algorithm>
#include <cmath>

namespace weir::design {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Burst is what rounding may have added to a whole number.
std::uint64_t whole(double burst) {
  return static_cast<std::uint64_t>(std::ceil(burst - 1e-9 * std::max(1.0, burst)));
}

using Lanes [[gnu::vector_size(64)]] = float;  // sixteen rates
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
constexpr std::size_t kBlocks = kRates / kLanes;

// All lanes stay in registers where the machine has sixteen of the widest.
[[gnu::always_inline]] inline void pass(const Trace& trace, const float* rates, float* bursts) {
  std::array<Lanes, kBlocks> rate;
  std::array<Lanes, kBlocks> level{};
  std::array<Lanes, kBlocks> most{};
  for (std::size_t b = 0; b < kBlocks; ++b) {
    for (std::size_t i = 0; i < kLanes; ++i) rate[b][i] = rates[b * kLanes + i];
  }
  const std::int64_t* const at = trace.at_ns.data();
  const std::uint32_t* const costs = trace.costs.empty() ? nullptr : trace.costs.data();
  std::int64_t before = trace.size() == 0 ? 0 : at[0];
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const float gap = static_cast<float>(at[i] - before) * 1e-9f;
    const float cost = costs == nullptr ? 1.0f : static_cast<float>(costs[i]);
    before = at[i];
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const Lanes drained = level[b] - rate[b] * gap;
      level[b] = (drained > 0.0f ? drained : Lanes{}) + cost;
      most[b] = level[b] > most[b] ? level[b] : most[b];
    }
  }
  for (std::size_t b = 0; b < kBlocks; ++b) {
    for (std::size_t i = 0; i < kLanes; ++i) bursts[b * kLanes + i] = most[b][i];
  }
}

void pass_plain(const Trace& trace, const float* rates, float* bursts) {
  pass(trace, rates, bursts);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void pass_avx2(const Trace& trace, const float* rates, float* bursts) {
  pass(trace, rates, bursts);
}
[[gnu::target("avx512f")]] void pass_avx512(const Trace& trace, const float* rates, float* bursts) {
  pass(trace, rates, bursts);
}
#endif

using Pass = void (*)(const Trace&, const float*, float*);

Pass widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return pass_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return pass_avx2;
#endif
  return pass_plain;
}

}  // namespace

Burst minimal_burst(const Trace& trace, double rate) {
  Burst most;
  double level = 0;
  std::size_t since = 0;  // where the level last rose from nothing
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i > 0) level -= rate * seconds(trace.at_ns[i] - trace.at_ns[i - 1]);
    if (i == 0 || level <= 0) {
      level = 0;
      since = i;
    }
    level += trace.cost(i);
    if (level > most.burst) most = {level, since, i};
  }
  return most;
}

RateGrid rate_grid(double lowest, double highest) {
  RateGrid rates;
  const double step = std::log(highest / lowest) / static_cast<double>(kRates - 1);
  for (std::size_t i = 0; i < kRates; ++i) {
    rates[i] = static_cast<float>(lowest * std::exp(step * static_cast<double>(i)));
  }
  return rates;
}

RateGrid minimal_bursts(const Trace& trace, const RateGrid& rates) {
  static const Pass fastest = widest();
  RateGrid bursts;
  fastest(trace, rates.data(), bursts.data());
  return bursts;
}

Rejected rejected_by(const Trace& trace, double rate, double burst) {
  Rejected rejected;
  const double room = burst + 1e-9 * std::max(1.0, burst);  // what rounding may have added
  double level = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i > 0) level -= rate * seconds(trace.at_ns[i] - trace.at_ns[i - 1]);
    level = std::max(level, 0.0);
    if (level + trace.cost(i) <= room) {
      level += trace.cost(i);
    } else {
      ++rejected.requests;
      rejected.cost += trace.cost(i);
    }
  }
  return rejected;
}

std::uint64_t least_burst(const Trace& trace, double rate, std::uint64_t most_rejected) {
  if (trace.size() <= most_rejected) return 0;
  std::uint64_t low = 0;  // rejects all, and that is too many
  std::uint64_t high = whole(minimal_burst(trace, rate).burst);
  while (low + 1 < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool fits =
        rejected_by(trace, rate, static_cast<double>(middle)).requests <= most_rejected;
    (fits ? high : low) = middle;
  }
  return high;
}

WeightedBurst least_weighted_burst(const Trace& trace, double rate, std::uint64_t most_cost,
                                   std::size_t steps) {
  std::uint64_t low = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) low = std::max<std::uint64_t>(low, trace.cost(i));
  const std::uint64_t high = std::max(low, whole(minimal_burst(trace, rate).burst));
  const std::uint64_t step =
      std::max<std::uint64_t>(1, (high - low) / std::max<std::size_t>(1, steps));
  for (std::uint64_t burst = low; burst < high; burst += step) {
    const Rejected rejected = rejected_by(trace, rate, static_cast<double>(burst));
    if (rejected.cost <= most_cost) return {burst, rejected};
  }
  return {high, rejected_by(trace, rate, static_cast<double>(high))};
}

}  // namespace weir::design
