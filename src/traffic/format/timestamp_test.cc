#include "traffic/format/timestamp.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

namespace weir::traffic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMidnight = 1'525'046'400 * kSecond;  // 2018-04-30T00:00:00Z

TEST(CommonTime, TakesTheOffsetIntoAccount) {
  CommonTime common;
  for (const char* text : {"29/Apr/2018:22:00:00 -0200", "30/Apr/2018:00:00:00 +0000",
                           "30/Apr/2018:02:00:00 +0200", "30/Apr/2018:05:45:00 +0545"}) {
    EXPECT_EQ(common.parse(text), kMidnight) << text;
  }
}

// What is remembered of the line before never shows: one parser in whatever order says what a new
// one says, and that is what the C library says.
TEST(CommonTime, SaysTheSameWhateverCameBefore) {
  std::mt19937_64 random(7);
  CommonTime common;
  std::int64_t at = 1'500'000'000;
  for (int i = 0; i < 20'000; ++i) {
    at += random() % 4 == 0 ? static_cast<std::int64_t>(random() % 100'000'000) - 50'000'000
                            : static_cast<std::int64_t>(random() % 3);
    at = std::abs(at);
    const int hours = static_cast<int>(random() % 3) - 1;
    const std::time_t local = at + hours * 3'600;
    std::tm parts = {};
    ::gmtime_r(&local, &parts);
    std::string text(64, '\0');
    text.resize(std::strftime(text.data(), text.size(), "%d/%b/%Y:%H:%M:%S ", &parts));
    text += hours < 0 ? "-0100" : hours == 0 ? "+0000" : "+0100";
    ASSERT_EQ(common.parse(text), at * kSecond) << text;
  }
}

TEST(CommonTime, RefusesWhatIsNoTime) {
  CommonTime common;
  ASSERT_TRUE(common.parse("29/Apr/2018:22:00:00 -0200"));
  for (const char* text :
       {"", "29/Apr/2018:22:00:00", "31/Apr/2018:22:00:00 -0200", "29/Feb/2018:22:00:00 -0200",
        "29/apr/2018:22:00:00 -0200", "29/Apr/2018:24:00:00 -0200", "29/Apr/2018:22:60:00 -0200",
        "29/Apr/2018:22:00:61 -0200", "29/Apr/2018:22:00:0x -0200", "29/Apr/2018:22:00:00 -02:0",
        "29/Apr/2018:22:00:00 02000", "29/Apr/0000:22:00:00 -0200", "29/Apr/2018:22:00:00 -2500",
        "29/Apr/2018:22:00:00-02000", "00/Apr/2018:22:00:00 -0200", "29/prM/2018:22:00:00 -0200"}) {
    EXPECT_FALSE(common.parse(text)) << text;
  }
}

TEST(CommonTime, ALeapSecondOvertakesNothing) {
  CommonTime common;
  const auto leap = common.parse("31/Dec/2016:23:59:60 +0000");
  const auto next = common.parse("01/Jan/2017:00:00:00 +0000");
  ASSERT_TRUE(leap && next);
  EXPECT_EQ(*leap, *next - 1);
}

TEST(Iso8601, IsReadToTheNanosecond) {
  EXPECT_EQ(parse_iso8601("2018-04-30T00:00:00Z"), kMidnight);
  EXPECT_EQ(parse_iso8601("2018-04-30 00:00:00"), kMidnight);
  EXPECT_EQ(parse_iso8601("2018-04-29t22:00:00.000000001-02:00"), kMidnight + 1);
  EXPECT_EQ(parse_iso8601("2018-04-30 00:00:00,5 +0000"), kMidnight + kSecond / 2);
  for (const char* text :
       {"2018-04-30", "2018-04-30T00:00", "2018-04-30T00:00:00.", "2018-04-30T00:00:00.0000000001Z",
        "2018-04-30T00:00:00ZZ", "2018-13-30T00:00:00Z", "2018-04-30T00:00:00+24:00",
        "2018-04-30X00:00:00Z", "18-04-30T00:00:00Z"}) {
    EXPECT_FALSE(parse_iso8601(text)) << text;
  }
}

TEST(OtherTimes, AreReadStrictly) {
  EXPECT_EQ(parse_haproxy_time("30/Apr/2018:00:00:00.655"), kMidnight + 655'000'000);
  EXPECT_EQ(parse_slashed_time("2018/04/30 00:00:00"), kMidnight);
  EXPECT_FALSE(parse_haproxy_time("30/Apr/2018:00:00:00.655 "));
  EXPECT_FALSE(parse_slashed_time("2018/04/30T00:00:00"));
}

TEST(Decimals, AreExactToTheNanosecond) {
  EXPECT_EQ(parse_decimal("1525046400.123456789", kSecond), kMidnight + 123'456'789);
  EXPECT_EQ(parse_decimal("1525046400123.4", 1'000'000), kMidnight + 123'400'000);
  EXPECT_EQ(parse_decimal("0.0000000019", kSecond), 1);
  EXPECT_EQ(parse_decimal("0", 1), 0);
  for (const char* text : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1 ", "0x1", "nan",
                           "99999999999999999999", "9223372037"}) {
    EXPECT_FALSE(parse_decimal(text, kSecond)) << text;
  }
}

}  // namespace
}  // namespace weir::traffic
