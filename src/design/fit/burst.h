// The least burst with which a token bucket of a rate would have rejected nothing of a trace, and
// what a smaller one rejects.
//
// The recursion is Lindley's: W_1 = c_1, W_j = max(0, W_{j-1} - r (t_j - t_{j-1})) + c_j, and the
// burst is the largest W_j; it is what Cruz ("A calculus for network delay", 1991) calls sigma for
// rho = r, and Tang and Tai (INFOCOM 1999) use to characterise traffic. Rates are in units a
// second. Empty traces need no burst. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "design/fit/trace.h"

namespace weir::design {

// With the requests that force it: those of [first, last] cost `burst` more than the rate gives
// between them.
struct Burst {
  double burst = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

Burst minimal_burst(const Trace& trace, double rate);

constexpr std::size_t kRates = 64;
using RateGrid = std::array<float, kRates>;

// Spaced evenly in their logarithms, both ends among them.
RateGrid rate_grid(double lowest, double highest);

// The burst for every rate in one pass, in single precision: within 1e-6 of the burst for each
// event that it lasts. The final numbers are those of minimal_burst.
RateGrid minimal_bursts(const Trace& trace, const RateGrid& rates);

struct Rejected {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;
};

// By a token bucket that starts full; the refill is continuous.
Rejected rejected_by(const Trace& trace, double rate, double burst);

// The least whole burst that rejects at most so many requests of a trace whose costs are one each.
// The number falls as the burst grows, so it is searched by halves.
std::uint64_t least_burst(const Trace& trace, double rate, std::uint64_t most_rejected);

// For other costs the number need not fall; at most `steps` bursts are tried, from the largest cost
// to the one that rejects nothing, and the first is taken that rejects at most so much cost.
struct WeightedBurst {
  std::uint64_t burst = 0;
  Rejected rejected;
};
WeightedBurst least_weighted_burst(const Trace& trace, double rate, std::uint64_t most_cost,
                                   std::size_t steps = 256);

}  // namespace weir::design
