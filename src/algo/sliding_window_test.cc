#include "algo/sliding_window.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "algo/testing/counter.h"
#include "base/u128.h"

namespace weir::algo::testing {
namespace {

TEST(SlidingWindow, CarriesAShareOfThePreviousWindow) {
  Counter c(sliding_window(100, seconds(60)));
  EXPECT_EQ(c.hammer(100, at(seconds(50))), 100u);
  EXPECT_EQ(c.peek(1, at(seconds(60))).remaining, 1u) << "99 lie strictly below 100";
  EXPECT_EQ(c.peek(1, at(seconds(70))).remaining, 17u) << "100 * 50/60 = 83.3";
  EXPECT_EQ(c.peek(1, at(seconds(90))).remaining, 51u) << "100 * 30/60 = 50: 49 below it";
  EXPECT_EQ(c.peek(1, at(seconds(120))).remaining, 100u);
}

struct Paced {
  std::uint64_t limit;
  Duration phase;
  Align align;
};

// A client that sends one each window/limit is never denied, wherever it began.
TEST(SlidingWindow, NeverDeniesAClientPacedExactlyAtTheLimit) {
  for (const std::uint64_t limit : {1u, 2u, 3u, 7u, 10u, 100u}) {
    for (const Align align : {Align::epoch, Align::first}) {
      for (const Duration phase : {Duration{0}, nanoseconds(1), milliseconds(123), seconds(59)}) {
        Counter c(sliding_window(limit, seconds(60), align));
        for (std::uint64_t j = 0; j < 5 * limit; ++j) {
          const Duration t = phase + Duration{base::mul_div_ceil(j, seconds(60).ns, limit)};
          ASSERT_TRUE(c.charge(1, at(t)).admit)
              << "limit " << limit << " phase " << phase.ns << " request " << j;
        }
      }
    }
  }
}

// Late in a window the one before hardly counts; early in it, where the clock was set back to, it
// must not count as little.
TEST(SlidingWindow, AWallClockSetBackAdmitsNoMore) {
  Counter c(sliding_window(60, seconds(3600)));
  const auto minute = [](std::int64_t m) {  // of an hour of wall time
    return Now{{seconds(1'000'000).ns}, (3'600'000 + 60 * m - 1'000'000) * 1'000'000'000};
  };
  EXPECT_EQ(c.hammer(99, minute(58)), 60u);
  EXPECT_EQ(c.hammer(99, minute(61)), 2u);
  EXPECT_EQ(c.hammer(99, minute(59)), 0u);
  const Outcome out = c.charge(1, minute(59));
  EXPECT_LE(out.wait, seconds(5400));
  EXPECT_FALSE(c.charge(1, later(minute(59), out.wait - nanoseconds(1))).admit);
  EXPECT_TRUE(c.charge(1, later(minute(59), out.wait)).admit);
}

TEST(SlidingWindow, DeniesAClientATickFasterThanTheLimit) {
  Counter c(sliding_window(1, seconds(60)));
  EXPECT_TRUE(c.charge(1, at(seconds(60))).admit);
  EXPECT_FALSE(c.charge(1, at(seconds(120) - nanoseconds(1))).admit);
  EXPECT_TRUE(c.charge(1, at(seconds(120))).admit);
}

TEST(SlidingWindow, WaitsThroughThisWindowTheNextOrTheOneAfter) {
  Counter c(sliding_window(10, seconds(60)));
  c.charge(10, at(seconds(30)));
  EXPECT_EQ(c.peek(1, at(seconds(30))).wait, seconds(30)) << "at 60, 9 of 10 count";
  EXPECT_EQ(c.peek(2, at(seconds(30))).wait, seconds(36)) << "at 66 the edge is at 9: 8 below";
  EXPECT_EQ(c.peek(10, at(seconds(30))).wait, seconds(84)) << "at 114 the edge is at 1: 0 below";
  EXPECT_EQ(c.peek(1, at(seconds(63))).wait, Duration{0});
  EXPECT_EQ(c.peek(5, at(seconds(63))).wait, seconds(21)) << "within the window";
  EXPECT_EQ(c.peek(11, at(seconds(63))).wait, Duration::max());
}

TEST(SlidingWindow, AlignedFirstFollowsItsFirstStartAndBeginsAfreshWhenIdle) {
  Counter c(sliding_window(2, seconds(10), Align::first));
  EXPECT_EQ(c.hammer(3, at(seconds(3))), 2u);
  EXPECT_EQ(c.state(), (State{seconds(3).ns, 0, 2}));
  EXPECT_TRUE(c.charge(1, at(seconds(14))).admit);
  EXPECT_EQ(c.state(), (State{seconds(13).ns, 2, 1}));
  EXPECT_TRUE(c.charge(1, at(seconds(34))).admit);
  EXPECT_EQ(c.state(), (State{seconds(34).ns, 0, 1}));
}

TEST(SlidingWindow, RefundsTheCurrentWindowFirst) {
  Counter c(sliding_window(10, seconds(10)));
  c.charge(8, at(seconds(5)));
  c.charge(2, at(seconds(15)));
  EXPECT_EQ(c.peek(1, at(seconds(15))).remaining, 5u);  // 8 * 1/2: 3 below, and 2
  c.refund(4, at(seconds(15)));
  EXPECT_EQ(c.peek(1, at(seconds(15))).remaining, 8u);  // 6 * 1/2: 2 below
  c.refund(base::kMaxU64, at(seconds(15)));
  EXPECT_EQ(c.peek(1, at(seconds(15))).remaining, 10u);
  EXPECT_EQ(c.state(), State{});
}

TEST(SlidingWindow, ResetsWhenNothingIsCountedAnyMore) {
  Counter c(sliding_window(10, seconds(60)));
  EXPECT_EQ(c.peek(1, at(seconds(5))).reset, Duration{0});
  c.charge(1, at(seconds(50)));
  EXPECT_EQ(c.peek(1, at(seconds(50))).reset, seconds(10)) << "of 1, none lies below the edge";
  c.charge(1, at(seconds(50)));
  EXPECT_EQ(c.peek(1, at(seconds(50))).reset, seconds(40)) << "of 2, none from 90 on";
  EXPECT_EQ(c.full_at(at(seconds(50))).ns, seconds(90).ns);
}

}  // namespace
}  // namespace weir::algo::testing
