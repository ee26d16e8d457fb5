// How long to wait before the next attempt to connect: doubling, with jitter, so that instances
// that lost the same server do not come back in step.
//
//   timer.expires_after(backoff.next(random()).to_chrono());
//
// A pure function of its count and the random number it is given. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/u128.h"
#include "weir/clock.h"

namespace weir::redis {

struct BackoffNumbers {
  Duration least = milliseconds(50);
  Duration most = seconds(2);
};

class Backoff {
 public:
  explicit Backoff(const BackoffNumbers& numbers = {}) : numbers_(numbers) {}

  // Between half and all of least * 2^attempts, capped. `random` is uniform over all 64 bits.
  Duration next(std::uint64_t random) {
    const Duration whole{std::min(numbers_.most.ns, numbers_.least.ns << doublings_)};
    if (whole < numbers_.most) ++doublings_;
    const std::uint64_t half = whole.ns / 2;
    return {whole.ns - half + static_cast<std::uint64_t>((base::u128{half + 1} * random) >> 64)};
  }
  void reset() { doublings_ = 0; }

 private:
  BackoffNumbers numbers_;
  unsigned doublings_ = 0;
};

}  // namespace weir::redis
