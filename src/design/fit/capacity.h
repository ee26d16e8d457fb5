// What all keys together may do under a limit that each of them has, against what a backend can.
#pragma once

#include <cstdint>
#include <span>

#include "design/fit/trace.h"

namespace weir::design {

struct Capacity {
  std::uint64_t most_active = 0;  // keys with a request in one window of `horizon_ns`, at the most
  // That many keys, each doing all that its bucket lets it in the horizon, in units a second.
  double worst_units_a_second = 0;
  double oversubscription = 0;  // that over the capacity: above 1 the limit alone protects nothing
  double worst_seen = 0;        // units a second of all keys in the busiest such window, as logged
};

// `rate` and `capacity` in units a second. The window is any of that length, half open at its
// beginning.
Capacity capacity_under(std::span<const Trace> keys, double rate, double burst,
                        std::int64_t horizon_ns, double capacity);

}  // namespace weir::design
