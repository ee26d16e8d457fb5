#include "algo/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "algo/testing/counter.h"

namespace weir::algo {
namespace {

using ::testing::HasSubstr;

std::string message(const Result<Numbers>& r) { return r ? "accepted" : r.error().message; }
ErrorCode code(const Result<Numbers>& r) { return r ? ErrorCode::internal : r.error().code; }

TEST(Numbers, ATokenIsAWholeNumberOfUnits) {
  const Numbers exact = testing::token_bucket(10, seconds(1), 20);
  EXPECT_EQ(exact.units_per_token, 100'000'000u);
  EXPECT_TRUE(exact.on_the_nanosecond());
  EXPECT_EQ(exact.burst_units, 2'000'000'000u);
  const Numbers thirds = testing::token_bucket(3, seconds(1), 1);
  EXPECT_EQ(thirds.units_per_token, 333'333'333u);
  EXPECT_EQ(thirds.units_per_period, 999'999'999u);
  EXPECT_FALSE(thirds.on_the_nanosecond());
}

TEST(Numbers, AQueueHoldsOneMoreThanItsLength) {
  EXPECT_EQ(testing::leaky_bucket(10, seconds(1), 20).burst, 21u);
  EXPECT_EQ(testing::leaky_bucket(10, seconds(1), 0).burst, 1u);
  EXPECT_EQ(testing::leaky_bucket(10, seconds(1), 20, seconds(2)).max_wait_ns, 2'000'000'000u);
}

TEST(Numbers, AZeroNamesDenyAndUnlimited) {
  const Result<Numbers> zeros[] = {
      make_token_bucket(0, seconds(1), 1),
      make_token_bucket(1, Duration{0}, 1),
      make_token_bucket(1, seconds(1), 0),
      make_leaky_bucket(0, seconds(1), 1),
      make_window(Algorithm::fixed_window, 0, seconds(1)),
      make_window(Algorithm::sliding_log, 1, Duration{0}),
  };
  for (const auto& zero : zeros) {
    EXPECT_EQ(code(zero), ErrorCode::invalid_argument) << message(zero);
    EXPECT_THAT(message(zero), HasSubstr("of 0 is not a limit: the least is 1"));
  }
}

struct Edge {
  const char* name;
  Result<Numbers> at;
  Result<Numbers> above;
  const char* message;
};

// The last value that fits, the first that does not, and what is said of it.
TEST(Numbers, AreRefusedBeyondTheRangeWithTheLargestThatFits) {
  constexpr std::uint64_t kG = 1'000'000'000;
  constexpr auto kFixed = Algorithm::fixed_window;
  const Edge edges[] = {
      {"a token a nanosecond", make_token_bucket(kG, seconds(1), 1),
       make_token_bucket(2 * kG, seconds(1), 1),
       "rate 2000000000/s is above 1000000000/s, the most that is counted exactly"},
      {"in another period", make_token_bucket(10'000'000, milliseconds(10), 1),
       make_token_bucket(10'000'001, milliseconds(10), 1),
       "rate 10000001/10ms is above 10000000/10ms, the most that is counted exactly"},
      {"2^53 a year", make_token_bucket(kMaxCount, days(365), 1),
       make_token_bucket(kMaxCount + 1, days(365), 1),
       "rate 9007199254740993/365day is above 9007199254740992/365day, the most that is counted "
       "exactly"},
      {"burst 2^53", make_token_bucket(kG, seconds(1), kMaxCount),
       make_token_bucket(kG, seconds(1), kMaxCount + 1),
       "burst 9007199254740993 at 1000000000/s is above 9007199254740992, the most that is counted "
       "exactly"},
      {"400 years of 1/day", make_token_bucket(1, days(1), 146'100),
       make_token_bucket(1, days(1), 146'101),
       "burst 146101 at 1/day is above 146100, the most that is counted exactly"},
      {"400 years of 1 in 10 years", make_token_bucket(1, days(3650), 40),
       make_token_bucket(1, days(3650), 41),
       "burst 41 at 1/3650day is above 40, the most that is counted exactly"},
      {"the slowest rate", make_token_bucket(1, days(146'100), 1),
       make_token_bucket(1, days(146'101), 1),
       "rate 1/146101day is below 1/146100day (400 years), the least that is counted exactly"},
      {"a queue", make_leaky_bucket(1, days(1), 146'099), make_leaky_bucket(1, days(1), 146'100),
       "queue 146100 at 1/day is above 146099, the most that is counted exactly"},
      {"the longest queue", make_leaky_bucket(kG, seconds(1), kMaxCount - 1),
       make_leaky_bucket(kG, seconds(1), kMaxCount),
       "queue 9007199254740992 is above 9007199254740991, the most that is counted exactly"},
      {"a window of a second", make_window(kFixed, kG, seconds(1)),
       make_window(kFixed, kG + 1, seconds(1)),
       "limit 1000000001/s is above 1000000000/s, the most that is counted exactly"},
      {"the longest window", make_window(kFixed, 1, days(146'100)),
       make_window(kFixed, 1, days(146'101)),
       "window 146101day is above 146100day (400 years), the most that is counted exactly"},
      {"a log", make_window(Algorithm::sliding_log, 1 << 24, seconds(1)),
       make_window(Algorithm::sliding_log, (1 << 24) + 1, seconds(1)),
       "limit 16777217 is above 16777216, the most that a sliding_log holds (16 bytes each); "
       "sliding_window has no such bound"},
  };
  for (const Edge& edge : edges) {
    EXPECT_EQ(message(edge.at), "accepted") << edge.name;
    EXPECT_EQ(message(edge.above), edge.message) << edge.name;
    EXPECT_EQ(code(edge.above), ErrorCode::out_of_range) << edge.name;
  }
}

TEST(Numbers, OnlyWindowAlgorithmsHaveAWindow) {
  EXPECT_EQ(code(make_window(Algorithm::token_bucket, 1, seconds(1))), ErrorCode::invalid_argument);
  EXPECT_EQ(code(make_window(Algorithm::leaky_bucket, 1, seconds(1))), ErrorCode::invalid_argument);
}

TEST(PublishedWindow, IsTheTimeToFillRoundedUpToSeconds) {
  using namespace testing;
  EXPECT_EQ(published_window(token_bucket(100, minutes(1), 100)), minutes(1));
  EXPECT_EQ(published_window(token_bucket(5, seconds(1), 10)), seconds(2));
  EXPECT_EQ(published_window(token_bucket(3, seconds(1), 1)), seconds(1));
  EXPECT_EQ(published_window(token_bucket(3, seconds(1), 10)), seconds(4));
  EXPECT_EQ(published_window(leaky_bucket(10, seconds(1), 20)), seconds(3));
  EXPECT_EQ(published_window(token_bucket(1, days(1), 146'100)), days(146'100));
  EXPECT_EQ(published_window(fixed_window(5, milliseconds(2500))), milliseconds(2500));
}

}  // namespace
}  // namespace weir::algo
