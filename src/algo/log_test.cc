#include "algo/log.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "algo/testing/counter.h"
#include "base/u128.h"

namespace weir::algo::testing {
namespace {

TEST(SlidingLog, FreesEachChargeExactlyAWindowLater) {
  const Numbers n = sliding_log(3, seconds(10));
  Counter c(n);
  for (const std::uint64_t s : {0u, 1u, 2u}) EXPECT_TRUE(c.charge(1, at(seconds(s))).admit);
  const Outcome out = c.charge(1, at(seconds(9)));
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.wait, seconds(1));
  EXPECT_EQ(out.reset, seconds(3));
  EXPECT_FALSE(c.charge(1, at(seconds(10) - nanoseconds(1))).admit);
  EXPECT_TRUE(c.charge(1, at(seconds(10))).admit);
  EXPECT_FALSE(c.charge(1, at(seconds(10))).admit);
}

TEST(SlidingLog, WaitsForAsManyEntriesAsTheCostNeeds) {
  Counter c(sliding_log(10, seconds(10)));
  c.charge(4, at(seconds(0)));
  c.charge(3, at(seconds(1)));
  c.charge(3, at(seconds(2)));
  EXPECT_EQ(c.peek(4, at(seconds(3))).wait, seconds(7));
  EXPECT_EQ(c.peek(5, at(seconds(3))).wait, seconds(8));
  EXPECT_EQ(c.peek(7, at(seconds(3))).wait, seconds(8));
  EXPECT_EQ(c.peek(10, at(seconds(3))).wait, seconds(9));
}

TEST(SlidingLog, SharesAnEntryAmongChargesOfOneInstant) {
  Counter c(sliding_log(1000, seconds(10)));
  EXPECT_EQ(c.hammer(1000, at(seconds(1))), 1000u);
  EXPECT_EQ(c.log().entries(), 1u);
  EXPECT_EQ(c.log().used(), 1000u);
}

TEST(SlidingLog, RefundsTheNewestFirst) {
  Counter c(sliding_log(10, seconds(10)));
  c.charge(4, at(seconds(0)));
  c.charge(6, at(seconds(5)));
  c.refund(7, at(seconds(6)));  // all of the newest and one of the oldest
  EXPECT_EQ(c.log().entries(), 1u);
  EXPECT_EQ(c.peek(1, at(seconds(6))).remaining, 7u);
  EXPECT_EQ(c.peek(1, at(seconds(6))).reset, seconds(4));
  c.refund(base::kMaxU64, at(seconds(6)));
  EXPECT_EQ(c.log().used(), 0u);
  EXPECT_EQ(c.log().entries(), 0u);
  EXPECT_EQ(c.hammer(20, at(seconds(6))), 10u);
}

TEST(SlidingLog, ARefundDoesNotReachWhatHasLeft) {
  Counter c(sliding_log(10, seconds(10)));
  c.charge(10, at(seconds(0)));
  c.refund(10, at(seconds(10)));
  c.charge(10, at(seconds(10)));
  EXPECT_EQ(c.peek(1, at(seconds(10))).remaining, 0u);
}

TEST(SlidingLog, WhatIsOfTheFutureIsOneEntryOfNow) {
  Counter c(sliding_log(4, seconds(10)));
  for (const std::uint64_t s : {12u, 20u, 21u}) EXPECT_TRUE(c.charge(1, at(seconds(s))).admit);
  EXPECT_TRUE(c.charge(1, at(seconds(15))).admit);
  EXPECT_EQ(c.log().entries(), 2u) << "one of 12, three of 15";
  EXPECT_EQ(c.charge(2, at(seconds(15))).wait, seconds(10));
  EXPECT_FALSE(c.charge(1, at(seconds(22) - nanoseconds(1))).admit);
  EXPECT_TRUE(c.charge(1, at(seconds(22))).admit);
  EXPECT_FALSE(c.charge(2, at(seconds(25) - nanoseconds(1))).admit);
  EXPECT_TRUE(c.charge(2, at(seconds(25))).admit);
}

TEST(SlidingLog, AClockSetBackDelaysForOneWindowAtMost) {
  Counter c(sliding_log(1, seconds(10)));
  EXPECT_TRUE(c.charge(1, at(hours(2))).admit);
  EXPECT_EQ(c.charge(1, at(hours(1))).wait, seconds(10));
  EXPECT_TRUE(c.charge(1, at(hours(1) + seconds(10))).admit);
}

TEST(SlidingLog, ItsRingTurnsAndGrowsWithoutLosingOrder) {
  Counter c(sliding_log(1000, seconds(100)));
  std::uint64_t admitted = 0;
  for (std::uint64_t ms = 0; ms < 1'000'000; ms += 50) {  // 20 a second for 1000 s
    admitted += c.charge(1, at(milliseconds(ms))).admit;
    ASSERT_LE(c.log().entries(), 1000u);
  }
  // 1000 in the first 50 s, then as those leave, 1000 in the first 50 s of each 100.
  EXPECT_EQ(admitted, 10'000u);
}

}  // namespace
}  // namespace weir::algo::testing
