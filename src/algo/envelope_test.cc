#include <gtest/gtest.h>

#include <cstdint>

#include "algo/testing/counter.h"
#include "algo/testing/model.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

TEST(Envelope, OfABucketIsBurstPlusRateWithTheGridsTwoNanoseconds) {
  const Numbers n = token_bucket(5, seconds(1), 10);
  EXPECT_EQ(envelope(n, Duration{0}), 10u);
  EXPECT_EQ(envelope(n, milliseconds(200) - nanoseconds(3)), 10u);
  EXPECT_EQ(envelope(n, milliseconds(200) - nanoseconds(2)), 11u);
  EXPECT_EQ(envelope(n, seconds(60)), 310u);
  EXPECT_EQ(envelope(leaky_bucket(10, seconds(1), 20), seconds(1)), 31u);
}

TEST(Envelope, OfAFixedWindowDoublesAtABoundary) {
  const Numbers n = fixed_window(100, minutes(1));
  EXPECT_EQ(envelope(n, Duration{0}), 100u);
  EXPECT_EQ(envelope(n, nanoseconds(1)), 200u);
  EXPECT_EQ(envelope(n, minutes(1)), 200u);
  EXPECT_EQ(envelope(n, minutes(1) + nanoseconds(1)), 300u);
}

TEST(Envelope, OfASlidingWindowGrowsWithTheInterval) {
  const Numbers n = sliding_window(100, minutes(1));
  EXPECT_EQ(envelope(n, Duration{0}), 100u);
  EXPECT_EQ(envelope(n, nanoseconds(1)), 101u);
  EXPECT_EQ(envelope(n, seconds(30)), 150u);
  EXPECT_EQ(envelope(n, minutes(1)), 200u);
}

TEST(Envelope, OfALogIsExact) {
  const Numbers n = sliding_log(100, minutes(1));
  EXPECT_EQ(envelope(n, minutes(1) - nanoseconds(1)), 100u);
  EXPECT_EQ(envelope(n, minutes(1)), 200u);
}

TEST(Envelope, SaturatesAndIsWholeAndTight) {
  EXPECT_EQ(envelope(token_bucket(1'000'000'000, seconds(1), kMaxCount), Duration::max()),
            base::kMaxU64);
  EXPECT_EQ(envelope(fixed_window(1'000'000'000, seconds(1)), Duration::max()), base::kMaxU64);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const Numbers n = random_bucket(random, Algorithm::token_bucket);
    const Duration tau{random.of_any_size(base::kMaxU64 - 2)};
    const Fraction exact = Fraction(n.burst) + Fraction(n.count, n.period_ns) * (Int(tau.ns) + 2);
    const Int whole = floor_of(exact);
    ASSERT_EQ(Int(envelope(n, tau)), whole > base::kMaxU64 ? Int(base::kMaxU64) : whole)
        << describe(n) << " for " << tau.ns;
  }
}

}  // namespace
}  // namespace weir::algo::testing
