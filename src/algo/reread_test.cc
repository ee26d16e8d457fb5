// The same state under other numbers: a tier, an override, a reload. (Case C27.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "algo/testing/counter.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

constexpr std::uint64_t kSizes[] = {1, 10, 1000, std::uint64_t{1} << 32};

// What is left after `used` of the old limit, read under the new one.
std::uint64_t left(std::uint64_t limit, std::uint64_t used) {
  return limit - std::min(limit, used);
}

TEST(Reread, C27WindowsKeepWhatWasUsed) {
  for (const Algorithm algorithm :
       {Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log}) {
    for (const std::uint64_t a : kSizes) {
      for (const std::uint64_t b : kSizes) {
        const std::uint64_t most = algorithm == Algorithm::sliding_log ? kMaxLogLimit : a + b;
        const std::uint64_t before = std::min(a, most);
        const std::uint64_t after = std::min(b, most);
        Counter c(must(make_window(algorithm, before, days(1))));
        const Now now = at(days(3) + hours(6));
        ASSERT_TRUE(c.charge(before, now).admit);
        c.reread(must(make_window(algorithm, after, days(1))));
        SCOPED_TRACE(std::to_string(before) + " -> " + describe(c.numbers()));
        EXPECT_EQ(c.peek(1, now).remaining, left(after, before));
        const Outcome out = c.charge(after, now);
        EXPECT_FALSE(out.admit);
        EXPECT_GT(out.wait.ns, 0u);
        EXPECT_LE(out.wait, days(2));
        EXPECT_FALSE(c.peek(after, later(now, out.wait - nanoseconds(1))).admit);
        EXPECT_TRUE(c.charge(after, later(now, out.wait)).admit) << "the next window works";
      }
    }
  }
}

TEST(Reread, C27BucketsKeepTheirTimeToFullClampedToTheNewOne) {
  for (const Algorithm algorithm : {Algorithm::token_bucket, Algorithm::leaky_bucket}) {
    for (const std::uint64_t a : kSizes) {
      for (const std::uint64_t b : kSizes) {
        const auto make = [&](std::uint64_t size, Duration period) {
          return algorithm == Algorithm::token_bucket ? token_bucket(size, period, size)
                                                      : leaky_bucket(size, period, size - 1);
        };
        Counter c(make(a, hours(1)));
        const Now now = at(days(3));
        ASSERT_TRUE(c.charge(a, now).admit);
        const Duration to_full = c.peek(1, now).reset;
        EXPECT_EQ(to_full, hours(1));
        // A slower rate fills in two hours: half of it is there. A faster one: all of it is owed.
        c.reread(make(b, hours(2)));
        SCOPED_TRACE(std::to_string(a) + " -> " + describe(c.numbers()));
        EXPECT_EQ(c.peek(1, now).reset, to_full);
        EXPECT_EQ(c.peek(1, now).remaining, b / 2);
        c.reread(make(b, minutes(30)));
        EXPECT_EQ(c.peek(1, now).reset, minutes(30));
        EXPECT_EQ(c.peek(1, now).remaining, 0u);
        const Outcome out = c.charge(b, now);
        EXPECT_FALSE(out.admit);
        EXPECT_EQ(out.wait, minutes(30));
        EXPECT_TRUE(c.charge(b, later(now, out.wait)).admit) << "refills normally";
      }
    }
  }
}

TEST(Reread, C27ALimitBelowItsUsageHasNoNegativeWait) {
  for (const std::uint64_t hits : {199u, 200u, 201u, 2000u}) {
    for (const Numbers& n :
         {fixed_window(2000, days(1)), sliding_window(2000, days(1)), sliding_log(2000, days(1))}) {
      Counter c(n);
      const Now now = at(days(10) + hours(5));
      EXPECT_EQ(c.hammer(hits, now), hits);
      c.reread(must(make_window(n.algorithm, 200, days(1))));
      const Outcome out = c.charge(1, now);
      EXPECT_EQ(out.admit, hits < 200);
      EXPECT_EQ(out.remaining, 0u);
      if (!out.admit) {
        EXPECT_GT(out.wait.ns, 0u);
        EXPECT_LE(out.wait, days(2));
      }
    }
  }
}

TEST(Reread, C27AShrunkBucketGivesNoStaleSurplus) {
  Counter c(token_bucket(1000, hours(1), 1000));
  c.charge(1, at(seconds(0)));  // 999 left
  c.reread(token_bucket(10, hours(1), 10));
  EXPECT_EQ(c.hammer(2000, at(seconds(0))), 9u);
}

// Any numbers after any others: the invariants of one limit hold from the first read on.
TEST(Reread, AnyPairOfNumbersKeepsRemainingInRangeAndWaitsExact) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const bool bucket = random.one_in(2);
    const Numbers before = random_bucket(random, Algorithm::token_bucket);
    const Numbers after =
        random_bucket(random, bucket ? Algorithm::token_bucket : Algorithm::leaky_bucket);
    Counter c(before);
    Now now{{random_start(random)}, 0};
    c.charge(random.of_any_size(before.burst), now);
    now = random_later(random, now, before);
    c.reread(after);
    const std::uint64_t cost = random.of_any_size(after.burst);
    const Outcome out = c.charge(cost, now);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(before) + " -> " +
                 describe(after));
    ASSERT_LE(out.remaining, after.burst);
    if (out.admit) continue;
    Counter early = c;
    ASSERT_FALSE(early.charge(cost, later(now, out.wait - nanoseconds(1))).admit);
    ASSERT_TRUE(c.charge(cost, later(now, out.wait)).admit);
  }
}

// A state of one grid lies anywhere in a unit of another, and the next grid's edge counts.
TEST(Reread, AnotherGridsStateIsFullAndUndelayedAtAnExactInstant) {
  int read = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const Numbers after = random_bucket(random, Algorithm::leaky_bucket);
    Counter c(after);
    const Now now{{random_start(random)}, 0};
    c.set_state({now.steady.ns + random.of_any_size(seconds(1000).ns), 0, 0});
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(after));
    const Outcome out = c.charge(1, now, Duration{0});  // denied, or not delayed
    if (out.admit) continue;
    ++read;
    EXPECT_EQ(out.wait, out.reset) << "without delay only when all before it has left";
    const Now due = later(now, out.reset);
    const Now early = later(now, out.reset - nanoseconds(1));
    if (after.max_wait_ns == Duration::max().ns) {
      ASSERT_EQ(c.peek(1, due).remaining, after.burst);
    }
    ASSERT_TRUE(c.peek(1, due, Duration{0}).admit);
    ASSERT_FALSE(c.peek(1, early, Duration{0}).admit);
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace weir::algo::testing
