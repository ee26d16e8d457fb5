// token_bucket by example; the random comparison is model_test.cc.
#include "algo/bucket.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "algo/testing/counter.h"
#include "base/u128.h"

namespace weir::algo::testing {
namespace {

// E2: burst 10, 5/s.
TEST(TokenBucket, E2RefillsWhileRequestsComeAndGo) {
  Counter c(token_bucket(5, seconds(1), 10));
  EXPECT_EQ(c.hammer(8, at(seconds(0))), 8u);
  EXPECT_EQ(c.peek(1, at(seconds(0))).remaining, 2u);
  EXPECT_EQ(c.peek(1, at(milliseconds(200))).remaining, 3u);
  const Outcome five = c.charge(5, at(milliseconds(500)));
  EXPECT_FALSE(five.admit);
  EXPECT_EQ(five.remaining, 4u);
  EXPECT_EQ(five.wait, milliseconds(100));
  const Outcome eight = c.charge(8, at(seconds(1)));
  EXPECT_FALSE(eight.admit);
  EXPECT_EQ(eight.remaining, 7u);
  EXPECT_EQ(eight.wait, milliseconds(200));
}

TEST(TokenBucket, DeniesTheFirstCallAfterTheBurst) {
  Counter c(token_bucket(1, seconds(1), 3));
  EXPECT_EQ(c.hammer(10, at(seconds(100))), 3u);
  const Outcome out = c.peek(1, at(seconds(100)));
  EXPECT_EQ(out.reason, Reason::limit_exceeded);
  EXPECT_EQ(out.limit, 3u);
  EXPECT_EQ(out.wait, seconds(1));
  EXPECT_EQ(out.reset, seconds(3));
  EXPECT_EQ(out.delay, Duration{0});
}

TEST(TokenBucket, SaysOnAnAdmissionWhenTheSameCostFitsAgain) {
  Counter c(token_bucket(1, seconds(1), 3));
  EXPECT_EQ(c.charge(1, at(seconds(0))).wait, Duration{0});
  EXPECT_EQ(c.charge(2, at(seconds(0))).wait, seconds(2));
  EXPECT_EQ(c.charge(0, at(seconds(0))).wait, seconds(1));
}

TEST(TokenBucket, FullMeansNoStateWhateverTheNumbers) {
  const Numbers n = token_bucket(7, seconds(1), 5);
  const Now now = at(seconds(5));
  for (const std::uint64_t past : {std::uint64_t{0}, std::uint64_t{1}, now.steady.ns}) {
    EXPECT_EQ(peek(n, {past, 0, 0}, 1, now).remaining, 5u);
    EXPECT_LE(full_at(n, {past, 0, 0}, now), now.steady);
  }
}

TEST(TokenBucket, RefundsUpToFull) {
  Counter c(token_bucket(1, seconds(1), 10));
  c.charge(6, at(seconds(0)));
  c.refund(2, at(seconds(0)));
  EXPECT_EQ(c.peek(1, at(seconds(0))).remaining, 6u);
  c.refund(base::kMaxU64, at(seconds(1)));
  EXPECT_EQ(c.peek(1, at(seconds(1))).remaining, 10u);
  EXPECT_EQ(c.hammer(20, at(seconds(1))), 10u);
}

TEST(TokenBucket, ARefundToAFullBucketStoresNothing) {
  const Numbers n = token_bucket(1, seconds(1), 10);
  EXPECT_EQ(refund(n, State{}, 5, at(seconds(9))), State{});
  const State owed{seconds(20).ns, 0, 0};
  EXPECT_EQ(refund(n, owed, 0, at(seconds(15))), owed);
}

// A state that owes more than these numbers can: a larger burst wrote it, or a faulty clock.
TEST(TokenBucket, ClampsADebtBeyondTheBurstAndStoresItOnADenial) {
  const Numbers n = token_bucket(1, seconds(1), 10);
  const State far{seconds(1'000'000).ns, 0, 0};
  const Now now = at(seconds(100));
  const Step step = charge(n, far, 1, now);
  EXPECT_FALSE(step.outcome.admit);
  EXPECT_EQ(step.outcome.wait, seconds(1));
  EXPECT_EQ(step.outcome.reset, seconds(10));
  EXPECT_EQ(step.next.a, seconds(110).ns);
  EXPECT_TRUE(charge(n, step.next, 1, at(seconds(101))).outcome.admit);
  EXPECT_FALSE(charge(n, step.next, 1, at(seconds(101) - nanoseconds(1))).outcome.admit);
  EXPECT_EQ(charge(n, far, 11, now).next, far) << "a cost above the burst stores nothing";
}

// Callers with other numbers share the counter: what they can owe is no debt from nowhere.
TEST(TokenBucket, KeepsADebtThatOtherNumbersOfItsLimitCanOwe) {
  Numbers few = token_bucket(10, minutes(1), 10);
  const Numbers many = token_bucket(1000, days(1), 1000);
  let_owe(few, time_to_full(many));
  const Now now = at(days(100));
  const State used = charge(many, State{}, 1000, now).next;
  const Step denied = charge(few, used, 1, now);
  EXPECT_FALSE(denied.outcome.admit);
  EXPECT_EQ(denied.next, used);
  EXPECT_EQ(denied.outcome.remaining, 0u);
  EXPECT_EQ(denied.outcome.wait, days(1) - seconds(54));
  EXPECT_FALSE(peek(few, used, 1, later(now, denied.outcome.wait - nanoseconds(1))).admit);
  EXPECT_TRUE(peek(few, used, 1, later(now, denied.outcome.wait)).admit);
  EXPECT_EQ(peek(many, used, 1, now).remaining, 0u);
  // Beyond what any of them can owe, it is of numbers that are no more.
  const State beyond{(now.steady + days(2)).ns, 0, 0};
  EXPECT_EQ(charge(few, beyond, 1, now).next.a, (now.steady + minutes(1)).ns);
}

TEST(TokenBucket, SaturatesAtTheEndOfTime) {
  const Numbers n = token_bucket(1, days(3650), 40);
  const Now end{{base::kMaxU64 - 5}, 0};
  const Step step = charge(n, State{}, 40, end);
  EXPECT_TRUE(step.outcome.admit);
  EXPECT_EQ(step.next.a, base::kMaxU64);
  const Numbers thirds = token_bucket(3, seconds(1), 2);
  EXPECT_EQ(charge(thirds, State{}, 2, end).next.a, base::kMaxU64);
}

struct Row {
  double seconds;
  std::uint64_t quantity;
  bool admit;
  std::uint64_t remaining;
  double reset;
  double retry;  // -1: none
};

// redis-cell's own table: burst 4 beyond the first, 1/s.
TEST(TokenBucket, AnswersRedisCellsTable) {
  const Row rows[] = {
      {0, 6, false, 5, 0, -1},    {0, 1, true, 4, 1, -1},     {0, 1, true, 3, 2, -1},
      {0, 1, true, 2, 3, -1},     {0, 1, true, 1, 4, -1},     {0, 1, true, 0, 5, -1},
      {0, 1, false, 0, 5, 1},     {3.0, 1, true, 2, 3.0, -1}, {3.1, 1, true, 1, 3.9, -1},
      {4.0, 1, true, 1, 4.0, -1}, {8.0, 1, true, 4, 1.0, -1}, {9.5, 1, true, 4, 1.0, -1},
      {9.5, 0, true, 4, 1.0, -1}, {9.5, 2, true, 2, 3.0, -1}, {9.5, 5, false, 2, 3.0, 3},
  };
  const auto ms = [](double s) {
    return milliseconds(static_cast<std::uint64_t>(std::llround(s * 1000)));
  };
  Counter c(token_bucket(1, seconds(1), 5));
  for (const Row& row : rows) {
    SCOPED_TRACE(::testing::Message() << "t " << row.seconds << " quantity " << row.quantity);
    const Outcome out = c.charge(row.quantity, at(ms(row.seconds)));
    EXPECT_EQ(out.admit, row.admit);
    EXPECT_EQ(out.limit, 5u);
    EXPECT_EQ(out.remaining, row.remaining);
    EXPECT_EQ(out.reset, ms(row.reset));
    if (!row.admit) {
      EXPECT_EQ(out.wait, row.retry < 0 ? Duration::max() : ms(row.retry));
    }
  }
}

// CL.THROTTLE user123 0 1 2 1
TEST(TokenBucket, AnswersRedisCellsWireExample) {
  Counter c(token_bucket(1, seconds(2), 1));
  Outcome out = c.charge(1, at(seconds(0)));
  EXPECT_TRUE(out.admit);
  EXPECT_EQ(out.remaining, 0u);
  EXPECT_EQ(out.reset, seconds(2));
  out = c.charge(1, at(seconds(0)));
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.wait, seconds(2));
  EXPECT_EQ(out.reset, seconds(2));
  EXPECT_TRUE(c.charge(1, at(seconds(2))).admit);
}

// Rates that redis-cell's floating point gets wrong.
TEST(TokenBucket, CountsWhatFloatingPointGetsWrong) {
  Counter per_minute(token_bucket(1000, minutes(1), 1001));
  for (const std::uint64_t left : {1000u, 999u, 998u}) {
    EXPECT_EQ(per_minute.charge(1, at(seconds(7))).remaining, left);
  }
  Counter fast(token_bucket(1500, seconds(1), 21));
  const Outcome out = fast.charge(1, at(seconds(7)));
  EXPECT_EQ(out.limit, 21u);
  EXPECT_EQ(out.remaining, 20u);
}

TEST(TokenBucket, HoldsEightThousandASecond) {
  Counter c(token_bucket(8000, seconds(1), 2));
  std::uint64_t admitted = 0;
  for (std::uint64_t us = 0; us < 2'000'000; us += 25) {
    admitted += c.charge(1, at(microseconds(us))).admit;
  }
  EXPECT_EQ(admitted, 16'001u);  // 2 at once, and one each 125 us of the 1,999,975 us after
}

}  // namespace
}  // namespace weir::algo::testing
