#include "algo/fixed_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "algo/packed.h"
#include "algo/testing/counter.h"
#include "base/u128.h"

namespace weir::algo::testing {
namespace {

TEST(Packed, SplitsByTheWindowAsPublished) {
  EXPECT_EQ(Split(seconds(1).ns).count_bits(), 32);
  EXPECT_EQ(Split(hours(1).ns).count_bits(), 44);
  EXPECT_EQ(Split(days(30).ns).count_bits(), 53);
  EXPECT_EQ(Split(1).count_bits(), 3);
}

TEST(Packed, HoldsEveryCountThatALimitAllows) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t window : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) + 1,
                                       (std::uint64_t{2} << shift) - 1}) {
      const Split split(window);
      const std::uint64_t most = std::min(window, kMaxCount);
      const Packed p = split.unpack(split.pack(5, most));
      EXPECT_EQ(p.count, most) << window;
      EXPECT_EQ(p.ordinal, 5u) << window;
    }
  }
}

TEST(Packed, TellsPastFromFutureTheNearerWayRound) {
  const Split split(seconds(1).ns);
  const std::uint64_t round = std::uint64_t{1} << 32;
  EXPECT_EQ(split.behind(10, 10), 0);
  EXPECT_EQ(split.behind(10, 7), 3);
  EXPECT_EQ(split.behind(7, 10), -3);
  EXPECT_EQ(split.behind(round + 2, split.unpack(split.pack(round - 1, 1)).ordinal), 3);
  // Half the way round is never less than 36 years.
  for (int shift = 0; shift < 61; ++shift) {
    const std::uint64_t window = std::uint64_t{1} << shift;
    const auto half = base::u128{window} << (Split(window).ordinal_bits() - 1);
    EXPECT_TRUE(half >= base::u128{1} << 60) << window;
  }
}

TEST(FixedWindow, CountsInWindowsOfWallTime) {
  Counter c(fixed_window(3, seconds(10)));
  const Now now{{seconds(1).ns}, static_cast<std::int64_t>(seconds(107).ns)};  // wall 108 s
  EXPECT_EQ(c.hammer(5, now), 3u);
  const Outcome out = c.peek(1, now);
  EXPECT_EQ(out.wait, seconds(2));
  EXPECT_EQ(out.reset, seconds(2));
  EXPECT_EQ(c.full_at(now).ns, seconds(3).ns);
  EXPECT_FALSE(c.peek(1, later(now, seconds(2) - nanoseconds(1))).admit);
  EXPECT_TRUE(c.peek(1, later(now, seconds(2))).admit);
}

TEST(FixedWindow, TellsWhenItEndsWhetherUsedOrNot) {
  EXPECT_EQ(Counter(fixed_window(3, seconds(10))).peek(1, at(seconds(4))).reset, seconds(6));
  EXPECT_EQ(Counter(fixed_window(3, seconds(10), Align::first)).peek(1, at(seconds(4))).reset,
            seconds(10));
}

TEST(FixedWindow, AlignedFirstRunsFromTheFirstRequestEvenAtZero) {
  Counter c(fixed_window(2, seconds(10), Align::first));
  EXPECT_TRUE(c.charge(1, at(seconds(0))).admit);
  EXPECT_TRUE(c.charge(1, at(seconds(9))).admit);
  const Outcome out = c.charge(1, at(seconds(9)));
  EXPECT_FALSE(out.admit);
  EXPECT_EQ(out.wait, seconds(1));
  EXPECT_TRUE(c.charge(1, at(seconds(10))).admit);
  EXPECT_EQ(c.peek(1, at(seconds(10))).reset, seconds(10)) << "the next window began just now";
}

TEST(FixedWindow, RefundsOnlyWhatThisWindowOwes) {
  Counter c(fixed_window(5, seconds(10)));
  c.charge(4, at(seconds(1)));
  c.refund(3, at(seconds(2)));
  EXPECT_EQ(c.peek(1, at(seconds(2))).remaining, 4u);
  c.refund(3, at(seconds(12)));
  EXPECT_EQ(c.peek(1, at(seconds(12))).remaining, 5u);
  EXPECT_EQ(c.hammer(9, at(seconds(12))), 5u);
}

TEST(FixedWindow, KeepsWhatWasUsedUnderARaisedLimit) {
  Counter c(fixed_window(10, seconds(1)));
  EXPECT_EQ(c.hammer(20, at(milliseconds(100))), 10u);
  c.reread(fixed_window(1'000'000'000, seconds(1)));
  EXPECT_EQ(c.peek(1, at(milliseconds(100))).remaining, 999'999'990u);
  EXPECT_TRUE(c.charge(999'999'990, at(milliseconds(100))).admit);
  EXPECT_FALSE(c.charge(1, at(milliseconds(100))).admit);
}

}  // namespace
}  // namespace weir::algo::testing
