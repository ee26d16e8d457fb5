#include "design/text.h"

#include <gtest/gtest.h>

namespace weir::design {
namespace {

TEST(Text, WritesDurationsAsAPolicyDoes) {
  EXPECT_EQ(duration_text({0}), "0s");
  EXPECT_EQ(duration_text(milliseconds(250)), "250ms");
  EXPECT_EQ(duration_text(minutes(90)), "1h30m");
  EXPECT_EQ(duration_text(days(2)), "2d");
  EXPECT_EQ(duration_text(Duration::max()), "never");
}

TEST(Text, GroupsDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(kMaxCount), "9,007,199,254,740,992");
}

TEST(Text, ShortensRoundCounts) {
  EXPECT_EQ(short_count(6'000), "6,000");
  EXPECT_EQ(short_count(20'000), "20k");
  EXPECT_EQ(short_count(2'000'000), "2M");
  EXPECT_EQ(short_count(1'016'666), "1,016,666");
}

TEST(Text, WritesRatesWithTheWordOfThePeriod) {
  EXPECT_EQ(rate_text(100, minutes(1).ns), "100/min");
  EXPECT_EQ(rate_text(10, seconds(1).ns), "10/s");
  EXPECT_EQ(rate_text(1'000'000, minutes(1).ns), "1M/min");
  EXPECT_EQ(rate_text(5, minutes(15).ns), "5/15m");
}

TEST(Text, NamesWhatTheNumbersOfALimitAre) {
  EXPECT_EQ(numbers_text(*algo::make_token_bucket(60, minutes(1), 10)), "60/min burst 10");
  EXPECT_EQ(numbers_text(*algo::make_leaky_bucket(10, seconds(1), 20)), "10/s queue 20");
  EXPECT_EQ(numbers_text(*algo::make_window(Algorithm::sliding_log, 10, minutes(15))), "10/15m");
  policy::LimitNumbers deny;
  deny.kind = policy::NumbersKind::deny;
  EXPECT_EQ(numbers_text(deny), "deny");
}

TEST(Text, WritesInstantsExactly) {
  EXPECT_EQ(instant_text({1'796'052'661'000'000'000}), "2026-11-30T15:31:01Z");
  EXPECT_EQ(instant_text({1'796'052'661'500'000'000}), "2026-11-30T15:31:01.5Z");
  EXPECT_EQ(instant_text({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(instant_text({~std::uint64_t{0}}), "for ever");
}

}  // namespace
}  // namespace weir::design
