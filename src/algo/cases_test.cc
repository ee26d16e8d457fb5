// Faults of counting, waits and costs that users of other limiters reported, and what is right. The
// numbers: C for limiters in use, S for sample code that circulates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algo/testing/counter.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

std::vector<Numbers> every_algorithm(std::uint64_t limit, Duration window) {
  return {token_bucket(limit, window, limit), leaky_bucket(limit, window, limit - 1),
          fixed_window(limit, window),        fixed_window(limit, window, Align::first),
          sliding_window(limit, window),      sliding_window(limit, window, Align::first),
          sliding_log(limit, window)};
}

TEST(Cases, C17EveryRateAndBurstStoresSomething) {
  for (std::uint64_t rate = 1; rate <= 20; ++rate) {
    for (std::uint64_t burst = 1; burst <= 20; ++burst) {
      Counter c(token_bucket(rate, seconds(1), burst));
      EXPECT_EQ(c.hammer(burst + 10, at(seconds(0))), burst);
      EXPECT_GT(c.full_at(at(seconds(0))).ns, 0u);
    }
  }
  Counter thirds(token_bucket(3, seconds(1), 1));
  EXPECT_EQ(thirds.hammer(10, at(seconds(0))), 1u);
  EXPECT_EQ(thirds.peek(1, at(seconds(0))).wait, nanoseconds(333'333'334));
}

TEST(Cases, C18FrequentTrafficDoesNotStarveTheRefill) {
  Counter c(token_bucket(10, seconds(30), 10));
  std::vector<std::uint64_t> remaining;
  for (std::uint64_t s = 0; s <= 10; ++s)
    remaining.push_back(c.charge(1, at(seconds(s))).remaining);
  EXPECT_EQ(remaining, (std::vector<std::uint64_t>{9, 8, 7, 7, 6, 5, 5, 4, 3, 3, 2}));
  Counter steady(token_bucket(1200, minutes(1), 1200));
  for (std::uint64_t i = 0; i < 2400; ++i) {
    ASSERT_TRUE(steady.charge(1, at(milliseconds(500 * i))).admit) << i;
  }
}

TEST(Cases, C18APolledBucketStillFills) {
  Counter c(token_bucket(1, seconds(1000), 1));
  std::uint64_t admitted = 0;
  for (std::uint64_t ms = 0; ms < 1'500'000; ++ms) {
    admitted += c.charge(1, at(milliseconds(ms))).admit;
  }
  EXPECT_EQ(admitted, 2u);
}

TEST(Cases, C20AWaitIsExactAndItsSecondsAreRoundedUp) {
  struct Wait {
    Duration exact;
    std::uint64_t seconds;
  };
  for (const Wait& want : {Wait{milliseconds(200), 1}, Wait{milliseconds(999), 1},
                           Wait{milliseconds(1001), 2}, Wait{milliseconds(1500), 2}}) {
    Counter c(token_bucket(1, seconds(2), 1));
    c.charge(1, at(seconds(0)));
    const Now now = at(seconds(2) - want.exact);
    const Outcome out = c.charge(1, now);
    EXPECT_FALSE(out.admit);
    EXPECT_EQ(out.wait, want.exact);
    EXPECT_EQ(out.wait.seconds_up(), want.seconds);
    EXPECT_TRUE(c.charge(1, later(now, seconds(out.wait.seconds_up()))).admit);
  }
  Counter five(fixed_window(5, minutes(1)));
  EXPECT_EQ(five.hammer(6, at(seconds(2))), 5u);
  EXPECT_EQ(five.peek(1, at(seconds(2))).wait.seconds_up(), 58u);
  Counter queue(token_bucket(30, seconds(60), 16));
  queue.charge(1, at(seconds(0)));
  EXPECT_EQ(queue.peek(1, at(seconds(0))).reset.seconds_up(), 2u);
}

TEST(Cases, C32ACostAboveTheLimitIsDeniedForEverAndChargesNothing) {
  for (const Numbers& n : every_algorithm(10, minutes(1))) {
    Counter c(n);
    c.charge(3, at(seconds(61)));
    for (const std::uint64_t cost :
         {std::uint64_t{11}, std::uint64_t{1} << 53, ~std::uint64_t{0}}) {
      const State before = c.state();
      const Outcome out = c.charge(cost, at(seconds(61)));
      EXPECT_FALSE(out.admit) << describe(n);
      EXPECT_EQ(out.reason, Reason::cost_exceeds_limit);
      EXPECT_EQ(out.wait, Duration::max());
      EXPECT_EQ(out.remaining, 7u);
      EXPECT_EQ(c.state(), before);
    }
    EXPECT_TRUE(c.charge(7, at(seconds(61))).admit) << describe(n);
  }
}

TEST(Cases, C37TheWaitComesFromTheRightElement) {
  Counter two(sliding_log(2, minutes(1)));
  two.charge(1, at(seconds(0)));
  two.charge(1, at(seconds(10)));
  EXPECT_EQ(two.charge(1, at(seconds(20))).wait, seconds(40));
  Counter drained(token_bucket(1, seconds(1), 5));
  drained.charge(5, at(seconds(0)));
  EXPECT_EQ(drained.charge(1, at(milliseconds(200))).wait, milliseconds(800));
  Counter slow(token_bucket(5, minutes(5), 5));
  slow.charge(5, at(seconds(0)));
  EXPECT_EQ(slow.charge(1, at(seconds(59))).wait, seconds(1));
  EXPECT_TRUE(slow.charge(1, at(seconds(60))).admit);
  EXPECT_EQ(slow.peek(1, at(seconds(60))).reset, seconds(300));
  Counter ten(sliding_log(10, seconds(10)));
  for (std::uint64_t s = 0; s < 10; ++s) ten.charge(1, at(seconds(s)));
  EXPECT_EQ(ten.charge(1, at(seconds(9))).wait, seconds(1));
  Counter window(fixed_window(1, minutes(1)));
  window.charge(1, at(seconds(60)));
  EXPECT_EQ(window.charge(1, at(seconds(105))).wait, seconds(15));
}

TEST(Cases, C37SpendingTheLastTokenLeavesAWaitAndAReset) {
  for (const Numbers& n : every_algorithm(3, minutes(1))) {
    Counter c(n);
    const Outcome out = c.charge(3, at(seconds(65)));
    EXPECT_TRUE(out.admit);
    EXPECT_GT(out.wait.ns, 0u) << describe(n);
    EXPECT_GT(out.reset.ns, 0u) << describe(n);
    EXPECT_GT(c.charge(1, at(seconds(65))).reset.ns, 0u) << describe(n);
  }
}

TEST(Cases, S01ARequestExactlyAtTheResetIsAdmitted) {
  Counter c(fixed_window(1, seconds(1), Align::first));
  const Now start = at(milliseconds(12'345));
  c.charge(1, start);
  EXPECT_FALSE(c.peek(1, later(start, c.peek(1, start).reset - nanoseconds(1))).admit);
  EXPECT_TRUE(c.peek(1, later(start, c.peek(1, start).reset)).admit);
}

TEST(Cases, S05TheEstimateCountsTheWholeCost) {
  Counter c(sliding_window(10, seconds(10)));
  c.charge(7, at(seconds(5)));
  // At 15 s, 7 * 1/2 = 3.5 is carried: 3 whole units, and room for 7.
  EXPECT_FALSE(c.charge(8, at(seconds(15))).admit);
  EXPECT_TRUE(c.charge(7, at(seconds(15))).admit);
  EXPECT_FALSE(c.charge(1, at(seconds(15))).admit);
}

TEST(Cases, S16ACostAboveTheBucketHasNoRetryAfter) {
  Counter c(token_bucket(1, seconds(1), 5));
  const Outcome out = c.charge(6, at(seconds(0)));
  EXPECT_EQ(out.reason, Reason::cost_exceeds_limit);
  EXPECT_EQ(out.wait, Duration::max());
}

TEST(Cases, S17ADenialShowsWhatReallyRemains) {
  for (const Numbers& n : every_algorithm(10, minutes(1))) {
    Counter c(n);
    c.charge(6, at(seconds(61)));
    const Outcome out = c.charge(5, at(seconds(61)));
    EXPECT_FALSE(out.admit);
    EXPECT_EQ(out.remaining, 4u) << describe(n);
    EXPECT_TRUE(c.charge(4, at(seconds(61))).admit) << describe(n);
  }
}

TEST(Cases, S21CostZeroIsFreeEvenWhereNothingRemains) {
  for (const Numbers& n : every_algorithm(2, minutes(1))) {
    Counter c(n);
    c.charge(2, at(seconds(61)));
    const State before = c.state();
    for (int i = 0; i < 5; ++i) {
      const Outcome out = c.charge(0, at(seconds(61)));
      EXPECT_TRUE(out.admit);
      EXPECT_EQ(out.remaining, 0u);
    }
    EXPECT_EQ(c.state(), before) << describe(n);
    EXPECT_EQ(c.log().used(), n.algorithm == Algorithm::sliding_log ? 2u : 0u);
  }
}

TEST(Cases, S24TheResetIsTheTrueOne) {
  Counter window(fixed_window(60, minutes(1)));
  window.charge(1, at(seconds(119)));
  EXPECT_EQ(window.peek(1, at(seconds(119))).reset, seconds(1));
  Counter bucket(token_bucket(60, minutes(1), 60));
  EXPECT_EQ(bucket.charge(1, at(seconds(0))).reset, seconds(1));
  Counter log(sliding_log(60, minutes(1)));
  log.charge(1, at(seconds(0)));
  EXPECT_EQ(log.peek(1, at(seconds(20))).reset, seconds(40));
}

}  // namespace
}  // namespace weir::algo::testing
