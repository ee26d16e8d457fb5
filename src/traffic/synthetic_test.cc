// Synthetic traffic has the shape that its name says, and is the same for the same seed.
#include "traffic/synthetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "traffic/log_writer.h"

namespace weir::traffic {
namespace {

constexpr double kLength = 600;

std::string text_of(const Events& events) {
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) append_line(text, LogFormat::json, events, i);
  return text;
}

Events one(Shape shape, double rate = 20, std::uint32_t clients = 100, std::uint64_t seed = 1) {
  const Synthetic part{shape, rate, clients};
  return generate({&part, 1}, seconds(static_cast<std::uint64_t>(kLength)), seed);
}

double second_of(const Event& event) {
  return static_cast<double>(event.start_ns - kSyntheticStart_ns) / 1e9;
}

// Requests by tenth of the time.
std::array<double, 10> tenths(const Events& events) {
  std::array<double, 10> counts{};
  for (std::size_t i = 0; i < events.size(); ++i) {
    counts[static_cast<std::size_t>(second_of(events.at(i)) / kLength * 10)] += 1;
  }
  return counts;
}

TEST(Synthetic, IsTheSameForTheSameSeed) {
  for (const char* shape : {"poisson", "on-off", "diurnal", "flash-crowd", "retry-storm", "scraper",
                            "nat-office", "llm-chat"}) {
    const Shape s = *parse_shape(shape);
    EXPECT_EQ(name(s), shape);
    const std::string text = text_of(one(s));
    EXPECT_EQ(text, text_of(one(s))) << shape;
    EXPECT_NE(text, text_of(one(s, 20, 100, 2))) << shape;
    EXPECT_GT(text.size(), 10'000u) << shape;
  }
  EXPECT_FALSE(parse_shape("poison"));
}

TEST(Synthetic, ComesAtItsRateInOrderOfTime) {
  for (const Shape s : {Shape::poisson, Shape::diurnal, Shape::scraper, Shape::nat_office}) {
    const Events events = one(s, 50);
    // A Poisson count of mean m lies within 6 roots of m but once in a thousand million.
    EXPECT_NEAR(static_cast<double>(events.size()), 50 * kLength, 6 * std::sqrt(50 * kLength))
        << name(s);
    for (std::size_t i = 1; i < events.size(); ++i) {
      ASSERT_LE(events.at(i - 1).start_ns, events.at(i).start_ns);
    }
  }
}

TEST(Synthetic, PoissonCountsHaveTheVarianceOfTheirMean) {
  const Events events = one(Shape::poisson, 20);
  std::vector<double> counts(static_cast<std::size_t>(kLength));
  for (std::size_t i = 0; i < events.size(); ++i) {
    counts[static_cast<std::size_t>(second_of(events.at(i)))] += 1;
  }
  double mean = 0, variance = 0;
  for (const double c : counts) mean += c / kLength;
  for (const double c : counts) variance += (c - mean) * (c - mean) / (kLength - 1);
  EXPECT_NEAR(variance / mean, 1, 0.35);  // its deviation is about sqrt(2/600)
}

TEST(Synthetic, OnOffIsBurstierThanPoisson) {
  const Events events = one(Shape::on_off, 20, 10);
  std::vector<double> counts(static_cast<std::size_t>(kLength));
  for (std::size_t i = 0; i < events.size(); ++i) {
    counts[static_cast<std::size_t>(second_of(events.at(i)))] += 1;
  }
  double mean = 0, variance = 0;
  for (const double c : counts) mean += c / kLength;
  for (const double c : counts) variance += (c - mean) * (c - mean) / (kLength - 1);
  EXPECT_GT(variance / mean, 3);
}

TEST(Synthetic, DiurnalIsLowAtBothEndsAndHighInTheMiddle) {
  const auto counts = tenths(one(Shape::diurnal, 50));
  EXPECT_GT(counts[5], 4 * counts[0]);
  EXPECT_GT(counts[4], 4 * counts[9]);
}

TEST(Synthetic, AFlashCrowdComesAfterAThirdWithNewClients) {
  const Events events = one(Shape::flash_crowd, 20, 50);
  const auto counts = tenths(events);
  EXPECT_GT(counts[4], 4 * counts[1]);
  EXPECT_LT(counts[9], counts[4] / 2);
  EXPECT_GT(events.callers(), 500u);
}

TEST(Synthetic, ARetryStormRepeatsWhatFailed) {
  const Events events = one(Shape::retry_storm, 20);
  const auto counts = tenths(events);
  EXPECT_GT(counts[3] + counts[4], 5 * counts[1]);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const double at = second_of(events.at(i));
    const bool out = at >= kLength / 3 && at < kLength / 3 + kLength / 10;
    ASSERT_EQ(events.at(i).status, out ? 503 : 200) << at;
  }
}

TEST(Synthetic, AScraperWalksTheCatalogueInOrder) {
  const Events events = one(Shape::scraper, 20);
  std::uint64_t page = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event event = events.at(i);
    if (events.caller(event.caller).user_agent != "catalogue-crawler/1.0") continue;
    ASSERT_EQ(events.target(event.request), "/items/" + std::to_string(page++));
  }
  EXPECT_NEAR(static_cast<double>(page), 0.2 * 20 * kLength, 300);
}

TEST(Synthetic, AnOfficeHasOneAddressAndManyKeys) {
  const Events events = one(Shape::nat_office, 20, 30);
  std::set<std::string_view> addresses, agents;
  for (std::uint32_t id = 0; id < events.callers(); ++id) {
    addresses.insert(events.caller(id).client);
    agents.insert(events.caller(id).user_agent);
  }
  EXPECT_EQ(addresses.size(), 1u);
  EXPECT_EQ(agents.size(), 30u);
}

TEST(Synthetic, ChatsStateTokensAndTakeSeconds) {
  const Events events = one(Shape::llm_chat, 5, 20);
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_EQ(events.costs(i).size(), 1u);
    EXPECT_EQ(events.costs(i)[0].unit, "tokens");
    EXPECT_GT(events.costs(i)[0].cost, 1u);
    EXPECT_GT(events.at(i).duration_us, 200'000u);
  }
}

TEST(Synthetic, PartsHaveClientsOfTheirOwn) {
  const std::array<Synthetic, 2> parts{{{Shape::poisson, 5, 10}, {Shape::poisson, 5, 10}}};
  const Events events = generate(parts, seconds(600), 1);
  std::set<std::string_view> addresses;
  for (std::uint32_t id = 0; id < events.callers(); ++id) {
    addresses.insert(events.caller(id).client);
  }
  EXPECT_EQ(addresses.size(), 20u);
}

TEST(LogWriter, EscapesWhatWouldEndAValue) {
  Events events;
  Record record;
  record.clear();
  record.time_ns = kSyntheticStart_ns + 1'000;
  record.client = "192.0.2.1";
  record.method = "GET";
  record.target = "/a\"b\\c\n";
  record.user_agent = "\"x\"";
  events.add(record, record.target);
  events.sort();
  std::string line;
  append_line(line, LogFormat::combined, events, 0);
  EXPECT_EQ(line,
            "192.0.2.1 - - [01/Dec/2026:00:00:00 +0000] \"GET /a\\x22b\\x5Cc\\x0A HTTP/1.1\" - - "
            "\"-\" \"\\x22x\\x22\"\n");
  line.clear();
  append_line(line, LogFormat::json, events, 0);
  EXPECT_EQ(line,
            "{\"time\":\"2026-12-01T00:00:00.000001Z\",\"remote_addr\":\"192.0.2.1\","
            "\"request_method\":\"GET\",\"request_uri\":\"/a\\\"b\\\\c\\u000a\","
            "\"http_user_agent\":\"\\\"x\\\"\"}\n");
}

}  // namespace
}  // namespace weir::traffic
