// For tests: numbers over the whole range, and clocks at the edges that limiters have tripped over.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>

#include "algo/testing/counter.h"
#include "base/u128.h"

namespace weir::algo::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // 1 to most, small and large numbers alike (every bit width is as likely as another).
  std::uint64_t of_any_size(std::uint64_t most) {
    const auto widest = static_cast<std::uint64_t>(std::bit_width(most));
    const std::uint64_t width = 1 + engine_() % widest;
    const std::uint64_t drawn = engine_() >> (64 - width);
    return std::clamp<std::uint64_t>(drawn, 1, most);
  }
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

// Where clocks start: 0, and around what has overflowed in others (in ns since the clock's zero).
inline std::uint64_t random_start(Random& random) {
  constexpr std::uint64_t kEdges[] = {
      seconds(10).ns,
      seconds((1ull << 31) - 1).ns,
      milliseconds(1ull << 31).ns,
      milliseconds(1ull << 32).ns,
      1ull << 53,
      1'764'460'800'000'000'000,  // 2025-11-30
  };
  if (random.one_in(4)) return 0;
  if (random.one_in(4)) return random.of_any_size(1ull << 60);
  const std::uint64_t edge = kEdges[random.below(std::size(kEdges))];
  return edge - seconds(10).ns + random.below(seconds(20).ns);
}

inline Numbers random_bucket(Random& random, Algorithm algorithm) {
  const std::uint64_t period = random.of_any_size(kLongestFill.ns);
  const std::uint64_t count = random.of_any_size(std::min(period, kMaxCount));
  const base::u128 fits = base::u128{count} * kLongestFill.ns / period;
  const auto most = static_cast<std::uint64_t>(std::min<base::u128>(fits, kMaxCount));
  const std::uint64_t burst = random.one_in(3) ? std::min<std::uint64_t>(most, 1 + random.below(10))
                                               : random.of_any_size(most);
  if (algorithm == Algorithm::token_bucket) return token_bucket(count, {period}, burst);
  const Duration max_wait = random.one_in(2) ? Duration::max() : Duration{random.below(period)};
  return leaky_bucket(count, {period}, burst - 1, max_wait);
}

inline Numbers random_window(Random& random, Algorithm algorithm) {
  // Two windows must fit between here and the end of time.
  const std::uint64_t window = random.of_any_size(days(73'000).ns);
  const bool small = algorithm == Algorithm::sliding_log;
  const std::uint64_t most = std::min(window, small ? kMaxLogLimit : kMaxCount);
  const std::uint64_t limit = random.one_in(3) ? std::min<std::uint64_t>(most, 1 + random.below(10))
                                               : random.of_any_size(most);
  return must(
      make_window(algorithm, limit, {window}, random.one_in(2) ? Align::epoch : Align::first));
}

inline Numbers random_numbers(Random& random, Algorithm algorithm) {
  return algorithm == Algorithm::token_bucket || algorithm == Algorithm::leaky_bucket
             ? random_bucket(random, algorithm)
             : random_window(random, algorithm);
}

// A step ahead of any size up to twice the period, often none or one, and never past the year 2200.
inline Now random_later(Random& random, Now now, const Numbers& numbers) {
  constexpr std::uint64_t kEnd = 4'000'000'000'000'000'000;
  if (random.one_in(3)) return now;
  const std::uint64_t scale =
      random.one_in(2) ? numbers.period_ns : numbers.period_ns / numbers.count;
  const std::uint64_t most = std::min(detail::saturating_mul(scale, 2), kEnd);
  const Now next = later(now, {random.of_any_size(std::max<std::uint64_t>(most, 1))});
  return next.steady.ns > kEnd ? now : next;
}

inline std::string describe(const Numbers& n) {
  return std::string(name(n.algorithm)) + " count " + std::to_string(n.count) + " per " +
         std::to_string(n.period_ns) + " ns, burst " + std::to_string(n.burst) +
         (n.align == Align::first ? ", align first" : ", align epoch") + ", max_wait " +
         std::to_string(n.max_wait_ns);
}

}  // namespace weir::algo::testing
