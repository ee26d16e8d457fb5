// The most that one process holds of one counter: tokens taken ahead that nobody has used yet.
//
//   most_prefetched(numbers)   // 1,000 a day: 62; 10,000/s with burst 10,000: 625
//
// A sixteenth of the limit, or what a bucket earns in 25 ms where that is more, and always one.
// With n processes at most n times as much is charged and unused at any instant, which is what the
// limit's envelope grows by. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algo/numbers.h"
#include "base/u128.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::algo {

// What is asked for is used within this, on a steady flow.
inline constexpr Duration kPrefetchAhead = milliseconds(25);

inline std::uint64_t most_prefetched(const Numbers& numbers) {
  std::uint64_t most = numbers.burst / 16;
  if (numbers.algorithm == Algorithm::token_bucket) {
    const std::uint64_t earned =
        base::mul_div_ceil(numbers.count, kPrefetchAhead.ns, numbers.period_ns);
    most = std::min(numbers.burst, std::max(most, earned));
  }
  return std::max<std::uint64_t>(1, most);
}

}  // namespace weir::algo
