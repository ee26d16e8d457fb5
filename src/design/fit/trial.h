// What a limit of any algorithm would have done with what keys sent: the decisions of `algo`
// itself, one counter a key, nothing else asked.
//
//   const Trial trial = try_limit(traces, *algo::make_token_bucket(10, seconds(60), 20));
//
// The log's time is both clocks: windows are those of the clock that counts from 1970. A request
// that the counter was denied costs it nothing. Pure; allocates for sliding_log alone.
#pragma once

#include <cstdint>
#include <span>

#include "algo/numbers.h"
#include "design/fit/trace.h"

namespace weir::design {

struct Trial {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t rejected_cost = 0;
  std::uint64_t keys = 0;       // with a request
  std::uint64_t hurt_keys = 0;  // rejected at least once
  // leaky_bucket: the longest that an admitted request waited for its turn.
  Duration longest_delay;

  double rejected_share() const {
    return requests == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(requests);
  }
  double hurt_share() const {
    return keys == 0 ? 0 : static_cast<double>(hurt_keys) / static_cast<double>(keys);
  }
};

// Instants before 1970 count as 1970.
Trial try_limit(std::span<const Trace> keys, const algo::Numbers& numbers);

}  // namespace weir::design
