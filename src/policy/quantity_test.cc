// The spelling of numbers, both ways.
#include "policy/quantity.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/utf8.h"
#include "policy/yaml_tree.h"

namespace weir::policy {
namespace {

TEST(Rates, AreCountUnitAndPeriod) {
  struct Case {
    const char* text;
    std::uint64_t count;
    Duration period;
    const char* unit;
  };
  for (const Case& c :
       {Case{"60/min", 60, minutes(1), ""}, Case{"1 request/s", 1, seconds(1), "requests"},
        Case{"5/15m", 5, minutes(15), ""}, Case{"1/3650d", 1, days(3650), ""},
        Case{"20k/day", 20'000, days(1), ""},
        Case{"1M tokens/minute", 1'000'000, minutes(1), "tokens"},
        Case{"7/1h30m", 7, minutes(90), ""}, Case{"7/250ms", 7, milliseconds(250), ""},
        Case{"7/m", 7, minutes(1), ""}, Case{"7/sec", 7, seconds(1), ""}}) {
    const auto rate = parse_rate(c.text);
    ASSERT_TRUE(rate) << c.text;
    EXPECT_EQ(rate->count, c.count) << c.text;
    EXPECT_EQ(rate->period, c.period) << c.text;
    EXPECT_EQ(rate->unit, c.unit) << c.text;
    const auto again = parse_rate(print_rate(rate->count, rate->period));
    ASSERT_TRUE(again) << c.text;
    EXPECT_EQ(again->period, rate->period);
  }
}

TEST(Rates, AreNothingElse) {
  for (const char* text :
       {"",         "/",          "60",      "60/",        "/min",   "60 /min",    "60/ min",
        " 60/min",  "60/min ",    "60//min", "60/min/min", "60/M",   "60/minutes", "60/week",
        "60/month", "60/year",    "60/1w",   "6e1/min",    "+6/min", "-6/min",     "6.5/min",
        "06/min",   "60 a b/min", "60/1m30", "60/30s1m",   "60/-1m", "60/1.5h",    "60/1h 30m"}) {
    EXPECT_FALSE(parse_rate(text)) << text;
  }
}

TEST(Counts, AreExactOrRefused) {
  EXPECT_EQ(*parse_count("9007199254740992"), 1ull << 53);
  EXPECT_EQ(*parse_count("0"), 0u);
  EXPECT_EQ(*parse_count("2G"), 2'000'000'000u);
  for (const char* text :
       {"9007199254740993", "18446744073709551616", "9007199254741k", "9007200G"}) {
    const auto count = parse_count(text);
    ASSERT_FALSE(count) << text;
    EXPECT_EQ(count.error().code, ErrorCode::out_of_range) << text;
  }
  for (const char* text : {"", "k", "1kk", "1K", "1 k", "1_000", "1,000", "00", "0x1", "1e3"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(Durations, PrintWhatTheyParse) {
  for (const char* text : {"250ms", "1s", "15m", "1h30m", "2d", "1d1h1m1s1ms", "400d"}) {
    EXPECT_EQ(print_duration(*parse_duration(text)), text);
  }
  EXPECT_EQ(print_duration(*parse_duration("90m")), "1h30m");
  EXPECT_FALSE(parse_duration("213504d"));  // past 2^64 ns
}

TEST(Fractions, HaveSixDigits) {
  EXPECT_EQ(*parse_fraction("0.82"), 820'000u);
  EXPECT_EQ(*parse_fraction("1"), 1'000'000u);
  EXPECT_EQ(*parse_fraction("1.0"), 1'000'000u);
  EXPECT_EQ(*parse_fraction("0.000001"), 1u);
  for (const char* text :
       {"", ".5", "0.", "1.000001", "2", "0.0000001", "80%", "1e-1", "-0.1", "00.1"}) {
    EXPECT_FALSE(parse_fraction(text)) << text;
  }
  for (const std::uint32_t ppm : {0u, 1u, 10u, 820'000u, 999'999u, 1'000'000u}) {
    EXPECT_EQ(*parse_fraction(print_fraction(ppm)), ppm);
  }
}

TEST(Until, IsTheEndOfTheDayOrTheInstant) {
  EXPECT_EQ(print_until(*parse_until("2027-01-31")), "2027-02-01T00:00:00Z");
  EXPECT_EQ(print_until(*parse_until("2028-02-29")), "2028-03-01T00:00:00Z");
  EXPECT_EQ(print_until(*parse_until("2027-01-31T12:00:00Z")), "2027-01-31T12:00:00Z");
  EXPECT_EQ(print_until(*parse_until("2027-01-31T00:30:00+01:00")), "2027-01-30T23:30:00Z");
  EXPECT_EQ(print_until(*parse_until("2027-01-31t23:30:00.5-01:30")),
            "2027-02-01T01:00:00.500000000Z");
  EXPECT_EQ(parse_until("1970-01-02")->ns, days(2).ns);
  for (const char* text :
       {"", "2027", "2027-1-31", "2027-02-29", "2027-13-01", "2027-01-00", "31.01.2027",
        "2027-01-31T12:00:00", "2027-01-31 12:00:00Z", "2027-01-31T24:00:00Z", "2027-01-31T12:00Z",
        "2027-01-31T12:00:00+1:00", "1969-12-31", "2027-01-31x", "2027-01-31T12:00:00.Z"}) {
    EXPECT_FALSE(parse_until(text)) << text;
  }
}

TEST(Until, SaysWhichYearsThereAre) {
  for (const char* text : {"9999-12-31", "2554-01-01", "2554-01-01T00:00:00Z", "1969-12-31",
                           "0001-01-01", "1970-01-01T00:30:00+01:00"}) {
    const auto until = parse_until(text);
    ASSERT_FALSE(until) << text;
    EXPECT_EQ(until.error().code, ErrorCode::out_of_range) << text;
    EXPECT_EQ(until.error().message,
              "`" + std::string(text) + "` is out of range: dates go from the year 1970 to 2553");
  }
  EXPECT_EQ(print_until(*parse_until("2553-12-31")), "2554-01-01T00:00:00Z");
  EXPECT_EQ(print_until(*parse_until("2553-12-31T23:59:59-23:59")), "2554-01-01T23:58:59Z");
  EXPECT_EQ(parse_until("1970-01-01T00:00:00Z")->ns, 0u);
  EXPECT_NE(parse_until("9999-02-29").error().code, ErrorCode::out_of_range);  // no such day
}

TEST(Nearest, IsOneMistakeAwayOrFew) {
  const std::vector<std::string> words{"limits", "limit", "tiers", "token_bucket", "hour"};
  EXPECT_EQ(nearest("limts", words), "limits");
  EXPECT_EQ(nearest("horu", words), "hour");
  EXPECT_EQ(nearest("Tiers", words), "tiers");
  EXPECT_EQ(nearest("tokenbucket", words), "token_bucket");
  EXPECT_EQ(nearest("completely", words), "");
  EXPECT_EQ(nearest("", words), "");
}

TEST(Core, OnlyPlainScalarsAreTyped) {
  struct Case {
    const char* text;
    Core type;
  };
  for (const Case& c :
       {Case{"", Core::null},           Case{"~", Core::null},         Case{"null", Core::null},
        Case{"true", Core::boolean},    Case{"yes", Core::text},       Case{"no", Core::text},
        Case{"off", Core::text},        Case{"on", Core::text},        Case{"12", Core::integer},
        Case{"-12", Core::integer},     Case{"0o17", Core::integer},   Case{"0x1f", Core::integer},
        Case{"017", Core::integer},     Case{"1.5", Core::real},       Case{".5", Core::real},
        Case{"1e3", Core::real},        Case{".nan", Core::real},      Case{"-.inf", Core::real},
        Case{"1:30", Core::text},       Case{"190:20:30", Core::text}, Case{"1_000", Core::text},
        Case{"2027-01-31", Core::text}, Case{".", Core::text},         Case{"1.5.1", Core::text}}) {
    EXPECT_EQ(core_type(Node::scalar(c.text, {})), c.type) << c.text;
    EXPECT_EQ(core_type(Node::scalar(c.text, {}, true)), Core::text) << c.text;
  }
}

TEST(Utf8, TheFirstWrongByteIsFound) {
  EXPECT_FALSE(first_invalid_utf8("a\nb\xc3\xa4\n"));
  const auto at = first_invalid_utf8("a\n\xc3\xa4\xed\xa0\x80");
  ASSERT_TRUE(at);
  EXPECT_EQ(at->line, 2u);
  EXPECT_EQ(at->column, 2u);
}

}  // namespace
}  // namespace weir::policy
