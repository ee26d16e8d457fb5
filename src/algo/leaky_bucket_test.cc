// leaky_bucket by example: the queue, its delays, and callers that cannot wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algo/testing/counter.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

// E3: 10/s, queue 20, 25 requests at once.
TEST(LeakyBucket, E3QueuesTwentyOneAndDelaysEachByATenth) {
  Counter c(leaky_bucket(10, seconds(1), 20));
  for (std::uint64_t i = 0; i < 21; ++i) {
    const Outcome out = c.charge(1, at(seconds(0)));
    ASSERT_TRUE(out.admit);
    EXPECT_EQ(out.delay, milliseconds(100 * i));
    EXPECT_EQ(out.limit, 21u);
    EXPECT_EQ(out.remaining, 20 - i);
  }
  for (int i = 0; i < 4; ++i) {
    const Outcome out = c.charge(1, at(seconds(0)));
    EXPECT_FALSE(out.admit);
    EXPECT_EQ(out.wait, milliseconds(100));
    EXPECT_EQ(out.wait.seconds_up(), 1u);
    EXPECT_EQ(out.delay, Duration{0});
  }
}

TEST(LeakyBucket, DeniesACallerThatCannotWaitWithTheDelayAsItsWait) {
  Counter c(leaky_bucket(10, seconds(1), 20));
  EXPECT_TRUE(c.charge(1, at(seconds(0)), Duration{0}).admit);
  const Outcome out = c.charge(1, at(milliseconds(30)), Duration{0});
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.reason, Reason::limit_exceeded);
  EXPECT_EQ(out.wait, milliseconds(70));
  EXPECT_EQ(out.remaining, 0u) << "nothing is admitted at once";
  EXPECT_FALSE(c.charge(1, at(milliseconds(100) - nanoseconds(1)), Duration{0}).admit);
  EXPECT_TRUE(c.charge(1, at(milliseconds(100)), Duration{0}).admit);
}

TEST(LeakyBucket, DeniesBeyondMaxWaitThoughTheQueueHasRoom) {
  Counter c(leaky_bucket(10, seconds(1), 20, milliseconds(500)));
  EXPECT_EQ(c.peek(1, at(seconds(0))).remaining, 6u);
  EXPECT_EQ(c.hammer(25, at(seconds(0))), 6u);  // delays 0, 0.1 ... 0.5
  EXPECT_EQ(c.peek(1, at(seconds(0))).wait, milliseconds(100));
}

TEST(LeakyBucket, TakesTheLongerOfTheTwoWaits) {
  Counter c(leaky_bucket(10, seconds(1), 20, seconds(2)));
  EXPECT_TRUE(c.charge(21, at(seconds(0))).admit);  // 2.1 s to drain
  EXPECT_EQ(c.peek(1, at(seconds(0))).wait, milliseconds(100));
  EXPECT_EQ(c.peek(10, at(seconds(0))).wait, seconds(1)) << "room for ten";
  EXPECT_EQ(c.peek(1, at(seconds(0)), milliseconds(50)).wait, milliseconds(2050)) << "the delay";
}

TEST(LeakyBucket, ACostWaitsForAllBeforeItAndNotForItself) {
  Counter c(leaky_bucket(10, seconds(1), 20));
  EXPECT_EQ(c.charge(5, at(seconds(0))).delay, Duration{0});
  EXPECT_EQ(c.charge(5, at(seconds(0))).delay, milliseconds(500));
  EXPECT_EQ(c.charge(0, at(seconds(0))).delay, Duration{0}) << "cost 0 does not queue";
}

TEST(LeakyBucket, ARefundShortensTheQueue) {
  Counter c(leaky_bucket(10, seconds(1), 20));
  c.hammer(21, at(seconds(0)));
  c.refund(11, at(seconds(0)));
  EXPECT_EQ(c.peek(1, at(seconds(0))).delay, seconds(1));
}

// What leaves in any closed interval is at most the largest cost and rate * tau.
TEST(LeakyBucket, LetsNoMoreLeaveThanItsRate) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Numbers n = random_bucket(random, Algorithm::leaky_bucket);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << describe(n));
    Counter c(n);
    Now now{{random_start(random)}, 0};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> left;  // instant, cost
    std::uint64_t largest = 0;
    for (int i = 0; i < 60; ++i, now = random_later(random, now, n)) {
      const std::uint64_t cost = random.one_in(2) ? 1 : random.of_any_size(n.burst);
      const Outcome out = c.charge(cost, now);
      if (!out.admit) continue;
      left.emplace_back((now.steady + out.delay).ns, cost);
      largest = std::max(largest, cost);
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = i; j < left.size(); ++j) {
        sum += left[j].second;
        const std::uint64_t tau = left[j].first - left[i].first + 2;
        ASSERT_LE(sum, largest + base::mul_div_floor(tau, n.count, n.period_ns));
      }
    }
  }
}

}  // namespace
}  // namespace weir::algo::testing
