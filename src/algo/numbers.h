// The numbers of one limit, checked once and then used without a further check.
//
// Shapes: a bucket has a rate (`count` per `period`) and a burst; a window has `count` per
// `period`. Range (exact over all of it): rate and count/window up to 1e9 a second, count up
// to 2^53, burst/rate up to 400 years (146,100 days). `make_*` refuse anything outside with the
// largest value that fits; nothing wraps or truncates.
//
// The grid of a bucket: a token is k = floor(period / count) units (at least 1), so units advance
// by m = count * k a period, at most one a nanosecond; v(t) = floor(t * m / period) in 128 bits.
#pragma once

#include <cstdint>

#include "weir/clock.h"
#include "weir/decision.h"
#include "weir/result.h"

namespace weir::algo {

struct Numbers {
  Algorithm algorithm = Algorithm::token_bucket;
  Align align = Align::epoch;
  std::uint64_t count = 0;      // tokens per period, or the limit of the window
  std::uint64_t period_ns = 0;  // period of the rate, or the window
  std::uint64_t burst = 0;      // token_bucket: burst; leaky_bucket: queue + 1; windows: count
  std::uint64_t max_wait_ns = ~std::uint64_t{0};  // leaky_bucket only
  std::uint64_t units_per_token = 1;              // k
  std::uint64_t units_per_period = 0;             // m
  std::uint64_t burst_units = 0;                  // burst * k
  // The most that a state can owe by any of the numbers its counter is read under (let_owe); what
  // lies beyond is of numbers that are no more, and is forgotten. Not less than burst_units.
  std::uint64_t most_owed_units = 0;

  // Whether a unit of the grid is exactly a nanosecond: v(t) = t, no division.
  bool on_the_nanosecond() const { return units_per_period == period_ns; }

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

inline constexpr Duration kLongestFill = days(146'100);
inline constexpr std::uint64_t kMaxPerSecond = 1'000'000'000;
inline constexpr std::uint64_t kMaxLogLimit = std::uint64_t{1} << 24;  // 16 bytes an entry

Result<Numbers> make_token_bucket(std::uint64_t count, Duration period, std::uint64_t burst);
Result<Numbers> make_leaky_bucket(std::uint64_t count, Duration period, std::uint64_t queue,
                                  Duration max_wait = Duration::max());
// algorithm: fixed_window, sliding_window or sliding_log.
Result<Numbers> make_window(Algorithm algorithm, std::uint64_t limit, Duration window,
                            Align align = Align::epoch);

// How long a bucket that was used up takes to fill.
Duration time_to_full(const Numbers& bucket);
// The longest that its counter can owe: that, or what let_owe said.
Duration most_owed(const Numbers& bucket);
// For a counter that is also read under numbers that take as long as `most` to fill (another
// tier's, an override's): a caller with few tokens must not make it forget what one with many owes.
void let_owe(Numbers& bucket, Duration most);

// The most net cost that can be admitted in any closed interval of length tau (docs/semantics.md,
// the grid's 2 ns included for buckets); saturates at 2^64-1. `docs/semantics.md` has the
// derivations.
std::uint64_t envelope(const Numbers& numbers, Duration tau);

// The published window: the window itself, or for a bucket burst/rate rounded up to whole seconds.
Duration published_window(const Numbers& numbers);

}  // namespace weir::algo
