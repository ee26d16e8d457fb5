// Faults of clocks, arithmetic and boundaries that users of other limiters reported, and what is
// right. Each has a number: C for limiters in use, S for sample code that circulates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algo/testing/counter.h"
#include "algo/testing/model.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

std::vector<Numbers> one_per_window(Duration window) {
  return {token_bucket(1, window, 1), leaky_bucket(1, window, 0),
          fixed_window(1, window),    fixed_window(1, window, Align::first),
          sliding_window(1, window),  sliding_window(1, window, Align::first),
          sliding_log(1, window)};
}

// A wait of 1e10 s is 1e19 ns, more than 63 bits hold.
TEST(Cases, C01ATinyRateDoesNotJamTheLimiterOpen) {
  Counter c(token_bucket(1, seconds(10'000'000'000), 1));
  EXPECT_TRUE(c.charge(1, at(seconds(0))).admit);
  const Outcome out = c.charge(1, at(seconds(0)));
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.wait, seconds(10'000'000'000));
  EXPECT_EQ(out.wait.seconds_up(), 10'000'000'000u);
  EXPECT_FALSE(make_token_bucket(1, seconds(100'000'000'000), 1)) << "1e-11/s is out of range";
  EXPECT_FALSE(make_token_bucket(1, Duration::max(), 1));
}

TEST(Cases, C03LimitsAreNotTruncatedTo32Bits) {
  constexpr std::uint64_t kBoundaries[] = {(1ull << 31) - 1, 1ull << 31,    (1ull << 32) - 1,
                                           1ull << 32,       5'000'000'000, 30'000'000'000,
                                           1ull << 53};
  for (const std::uint64_t limit : kBoundaries) {
    for (const Numbers& n :
         {token_bucket(limit, days(365), limit), leaky_bucket(limit, days(365), limit - 1),
          fixed_window(limit, days(365)), sliding_window(limit, days(365))}) {
      Counter c(n);
      EXPECT_EQ(c.charge(1, at(days(400))).remaining, limit - 1);
      EXPECT_TRUE(c.charge(limit - 1, at(days(400))).admit);
      EXPECT_FALSE(c.charge(1, at(days(400))).admit);
    }
  }
  for (const std::uint64_t above : {(1ull << 53) + 1, (1ull << 63) - 1, ~0ull}) {
    EXPECT_FALSE(make_token_bucket(above, days(365), 1));
    EXPECT_FALSE(make_token_bucket(1'000'000'000, seconds(1), above));
    EXPECT_FALSE(make_window(Algorithm::fixed_window, above, days(365)));
  }
}

// A store hands every decision the largest instant it has seen.
class MonotoneStore {
 public:
  explicit MonotoneStore(const Numbers& n) : counter_(n) {}
  Outcome charge(std::uint64_t cost, Duration t) { return counter_.charge(cost, clamp(t)); }
  Outcome peek(std::uint64_t cost, Duration t) { return counter_.peek(cost, clamp(t)); }
  Duration now() const { return largest_; }

 private:
  Now clamp(Duration t) {
    largest_ = std::max(largest_, t);
    return at(largest_);
  }

  Counter counter_;
  Duration largest_;
};

// Each caller waits as long as it is told and is charged then: ready at 0.1, 0.2 and 0.4 s.
TEST(Cases, C04S1AStaleInstantDoesNotMoveTheRefillBack) {
  MonotoneStore store(token_bucket(10, seconds(1), 2));
  const auto ready = [&](std::uint64_t cost, Duration t) {
    Outcome out = store.charge(cost, t);
    const Duration when = store.now() + out.wait;
    if (!out.admit) {
      EXPECT_TRUE(store.charge(cost, when).admit);
    }
    return out.admit ? store.now() : when;
  };
  EXPECT_EQ(ready(2, milliseconds(100)), milliseconds(100));
  EXPECT_EQ(ready(1, milliseconds(0)), milliseconds(200));
  EXPECT_EQ(ready(2, milliseconds(200)), milliseconds(400));
}

TEST(Cases, C04S2APeekAtAnOldInstantMintsNothing) {
  MonotoneStore store(token_bucket(1, seconds(1), 10));
  EXPECT_TRUE(store.charge(10, seconds(10)).admit);
  store.peek(0, seconds(0));
  store.charge(0, seconds(0));
  const Outcome out = store.charge(10, seconds(10));
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.remaining, 0u);
}

TEST(Cases, C04S3TwoNodesASecondApartShareOneBucket) {
  MonotoneStore store(token_bucket(150, seconds(1), 150));
  EXPECT_EQ(store.charge(2, seconds(290)).remaining, 148u);
  EXPECT_EQ(store.charge(10, seconds(289)).remaining, 138u);
  EXPECT_EQ(store.charge(0, seconds(290)).remaining, 138u);
}

TEST(Cases, C04S4ACommandFromThePreviousSecondIsNotABonus) {
  MonotoneStore store(token_bucket(5, seconds(1), 5));
  std::uint64_t admitted = 0;
  for (int i = 0; i < 5; ++i) admitted += store.charge(1, milliseconds(10'000)).admit;
  for (int i = 0; i < 5; ++i) admitted += store.charge(1, milliseconds(9'900)).admit;
  for (int i = 0; i < 5; ++i) admitted += store.charge(1, milliseconds(10'000)).admit;
  EXPECT_EQ(admitted, 5u);
}

// int64 nanoseconds hold 106,751 days; a cost one above must not wrap to "the past".
TEST(Cases, C34ACostTimesItsIntervalDoesNotOverflow) {
  for (const std::uint64_t burst : {106'750u, 106'751u, 106'752u, 146'100u}) {
    Counter c(token_bucket(1, days(1), burst));
    const Outcome above = c.charge(burst + 1, at(seconds(1)));
    EXPECT_FALSE(above.admit);
    EXPECT_EQ(above.reason, Reason::cost_exceeds_limit);
    EXPECT_TRUE(c.charge(burst, at(seconds(1))).admit);
    EXPECT_EQ(c.peek(burst, at(seconds(1))).wait, days(burst));
    EXPECT_EQ(c.charge(~0ull, at(seconds(1))).reason, Reason::cost_exceeds_limit);
  }
  EXPECT_FALSE(make_token_bucket(1, days(1), 146'101));
  EXPECT_TRUE(make_token_bucket(1, days(30), 3'559));
  EXPECT_TRUE(make_token_bucket(1, days(365), 400));
}

TEST(Cases, C36TheBoundaryIsHalfOpenToTheNanosecond) {
  for (const Numbers& n : one_per_window(seconds(10))) {
    Counter c(n);
    const Now start = at(seconds(100));  // a multiple of the window
    EXPECT_TRUE(c.charge(1, start).admit) << describe(n);
    EXPECT_FALSE(c.charge(1, later(start, seconds(10) - nanoseconds(1))).admit) << describe(n);
    Counter after = c;
    EXPECT_TRUE(c.charge(1, later(start, seconds(10))).admit) << describe(n);
    EXPECT_TRUE(after.charge(1, later(start, seconds(10) + nanoseconds(1))).admit) << describe(n);
  }
}

TEST(Cases, C36TrimsBeforeItCounts) {
  Counter tenths(sliding_log(10, seconds(1)));
  for (std::uint64_t ms = 0; ms < 1000; ms += 100) {
    EXPECT_TRUE(tenths.charge(1, at(milliseconds(ms))).admit) << ms;
  }
  Counter three(sliding_log(3, seconds(10)));
  for (const std::uint64_t s : {0u, 1u, 2u}) EXPECT_TRUE(three.charge(1, at(seconds(s))).admit);
  EXPECT_TRUE(three.charge(1, at(milliseconds(12'500))).admit);
}

TEST(Cases, C42NoClockWraps) {
  const std::uint64_t edges[] = {seconds((1ull << 31) - 1).ns, milliseconds(1ull << 31).ns,
                                 milliseconds(1ull << 32).ns, 1ull << 53};
  for (const std::uint64_t edge : edges) {
    for (const Numbers& n : one_per_window(seconds(1))) {
      Counter c(n);
      // From 10 s before the edge to 10 s after: one each second, none in between.
      const std::uint64_t first = (edge - seconds(10).ns) / seconds(1).ns * seconds(1).ns;
      for (std::uint64_t i = 0; i <= 20; ++i) {
        const Now now{{first + seconds(i).ns}, 0};
        ASSERT_TRUE(c.charge(1, now).admit) << describe(n) << " at " << now.steady.ns;
        ASSERT_FALSE(c.charge(1, later(now, milliseconds(999))).admit) << describe(n);
      }
    }
  }
}

// What a bucket gives in ten periods, against the exact fraction, for rates that do not divide.
TEST(Cases, C44TheIntervalIsNotTruncated) {
  for (const Duration unit : {seconds(1), minutes(1), hours(1), days(1)}) {
    for (std::uint64_t rate = 1; rate <= 1'000'000; rate = rate * 3 / 2 + 1) {
      Random random(rate);
      Counter c(token_bucket(rate, unit, 2 * rate));  // twice, so that it is never full
      ASSERT_TRUE(c.charge(2 * rate, at(seconds(0))).admit);
      std::uint64_t refilled = 0;
      for (std::uint64_t t = 0; t < 10 * unit.ns;) {
        t = std::min(10 * unit.ns, t + 1 + random.below(unit.ns - 1));
        const std::uint64_t now_there = c.peek(1, at({t})).remaining;
        ASSERT_TRUE(c.charge(now_there, at({t})).admit);
        refilled += now_there;
      }
      ASSERT_EQ(refilled, 10 * rate) << rate << " per " << unit.ns;
    }
  }
}

TEST(Cases, C45TheExactlyDueRequestIsAdmittedAndNotATickEarlier) {
  for (std::uint64_t n = 1; n <= 100; ++n) {
    for (std::uint64_t m = 1; m <= 100; ++m) {
      Counter c(token_bucket(n, seconds(m), 1));
      ASSERT_TRUE(c.charge(1, at(seconds(0))).admit);
      const Duration due{base::mul_div_ceil(seconds(m).ns, 1, n)};
      ASSERT_FALSE(c.charge(1, at(due - nanoseconds(1))).admit) << n << " per " << m << " s";
      ASSERT_TRUE(c.charge(1, at(due)).admit) << n << " per " << m << " s";
    }
  }
}

TEST(Cases, C45ANewKeyIsAdmittedAfterYearsOfUptime) {
  const Numbers hourly = token_bucket(1, hours(1), 1);
  for (const Duration uptime : {days(365), days(3650), days(36'500)}) {
    Counter c(hourly);
    EXPECT_TRUE(c.charge(1, at(uptime + nanoseconds(7))).admit);
    EXPECT_FALSE(c.charge(1, at(uptime + hours(1) + nanoseconds(6))).admit);
    EXPECT_TRUE(c.charge(1, at(uptime + hours(1) + nanoseconds(7))).admit);
  }
}

TEST(Cases, C47ADeficitAlwaysHasAWait) {
  Counter c(token_bucket(1'000'000, seconds(1), 1'000'000));
  c.charge(1'000'000, at(seconds(0)));
  EXPECT_EQ(c.peek(500, at(seconds(0))).wait, microseconds(500));
  // Following the waits for a while keeps the rate: 7/s does not divide a second.
  Counter sevenths(token_bucket(7, seconds(1), 1));
  Now now = at(seconds(0));
  std::uint64_t admitted = 0;
  while (now.steady.ns < seconds(1000).ns) {
    const Outcome out = sevenths.charge(1, now);
    ASSERT_TRUE(out.admit);
    ++admitted;
    const Duration wait = sevenths.peek(1, now).wait;
    ASSERT_GT(wait.ns, 0u);
    now = later(now, wait);
  }
  EXPECT_EQ(admitted, 7000u);
}

// The wall clock goes back: nothing is negative and nobody is locked out for more than a window.
TEST(Cases, S06AWallClockThatStepsBackLocksNobodyOut) {
  for (const Numbers& n : {fixed_window(5, seconds(10)), sliding_window(5, seconds(10))}) {
    Counter c(n);
    Now now{{seconds(1000).ns}, static_cast<std::int64_t>(seconds(1'000'000).ns)};
    EXPECT_EQ(c.hammer(9, now), 5u);
    now.wall_offset_ns -= static_cast<std::int64_t>(seconds(60).ns);
    const Outcome out = c.charge(1, now);
    EXPECT_FALSE(out.admit);
    EXPECT_EQ(out.remaining, 0u);
    EXPECT_LE(out.wait, seconds(10));
    EXPECT_FALSE(c.charge(1, later(now, out.wait - nanoseconds(1))).admit) << describe(n);
    EXPECT_TRUE(c.charge(1, later(now, out.wait)).admit) << describe(n);
  }
}

// A steady clock never goes back, but a state may come from a faulty one: it is clamped, and the
// clamp is stored, so that the announced wait is true.
TEST(Cases, S06AWindowFromTheFutureIsTheCurrentOne) {
  for (const Numbers& n :
       {fixed_window(5, seconds(10), Align::first), sliding_window(5, seconds(10), Align::first)}) {
    Counter c(n);
    EXPECT_EQ(c.hammer(9, at(days(1000))), 5u);
    const Now now = at(seconds(77));
    const Outcome out = c.charge(1, now);
    EXPECT_FALSE(out.admit);
    EXPECT_LE(out.wait, seconds(10));
    EXPECT_FALSE(c.charge(1, later(now, out.wait - nanoseconds(1))).admit) << describe(n);
    EXPECT_TRUE(c.charge(1, later(now, out.wait)).admit) << describe(n);
  }
}

TEST(Cases, S06BucketsAndLogsDoNotSeeTheWallClock) {
  for (const Numbers& n :
       {token_bucket(5, seconds(10), 5), leaky_bucket(5, seconds(10), 4),
        fixed_window(5, seconds(10), Align::first), sliding_window(5, seconds(10), Align::first),
        sliding_log(5, seconds(10))}) {
    Counter c(n);
    const Now now{{seconds(1000).ns}, 0};
    EXPECT_EQ(c.hammer(9, now), 5u);
    const Outcome before = c.peek(1, now);
    for (const std::int64_t offset : {std::int64_t{-1'000'000'000'000}, std::int64_t{1} << 60}) {
      const Outcome after = c.peek(1, {now.steady, offset});
      EXPECT_EQ(after.remaining, before.remaining) << describe(n);
      EXPECT_EQ(after.wait, before.wait) << describe(n);
    }
  }
}

TEST(Cases, S13ClockSkewMintsNothing) {
  MonotoneStore store(token_bucket(5, seconds(1), 10));
  std::uint64_t admitted = 0;
  for (std::uint64_t ms = 0; ms <= 1000; ++ms) {
    admitted += store.charge(1, milliseconds(10'050 + ms)).admit;
    admitted += store.charge(1, milliseconds(10'000 + ms)).admit;
  }
  EXPECT_EQ(admitted, 15u);
}

}  // namespace
}  // namespace weir::algo::testing
