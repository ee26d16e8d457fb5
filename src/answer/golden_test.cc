// The golden vectors of test/data: every dialect byte for byte, and the parser that reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "answer/answer.h"
#include "answer/testing/sf_parser.h"
#include "answer/testing/views.h"
#include "policy/dialect.h"

namespace weir::answer {
namespace {

namespace json = boost::json;

const json::object& vectors() {
  static const json::value all = [] {
    std::ifstream file("test/data/ratelimit_fields.json");
    std::stringstream text;
    text << file.rdbuf();
    return json::parse(text.str());
  }();
  return all.as_object();
}

std::string text(const json::value& v) { return std::string(v.as_string()); }
std::uint64_t whole(const json::value& v) { return v.to_number<std::uint64_t>(); }

// `burst` is a bucket, `daily` a window that ends when its `reset` says.
View view_of_case(const json::object& c, const policy::Response& response) {
  View v = testing::view_of(response);
  for (std::size_t i = 0; i < vectors().at("policies").as_array().size(); ++i) {
    const json::object& p = vectors().at("policies").as_array()[i].as_object();
    const json::object& l = c.at("limits").as_array()[i].as_object();
    const json::array& violated = c.at("violated").as_array();
    const bool denies = std::any_of(violated.begin(), violated.end(),
                                    [&](const json::value& n) { return n == p.at("name"); });
    const Duration reset = seconds(whole(l.at("reset")));
    const bool daily = p.at("name") == "daily";
    LimitView limit =
        testing::limit(std::string_view(p.at("name").as_string()), whole(p.at("quota")),
                       seconds(whole(p.at("window"))), whole(l.at("remaining")),
                       daily ? Algorithm::fixed_window : Algorithm::token_bucket);
    limit.outcome.reset = reset;
    if (denies) limit = testing::denied(limit, reset);
    testing::add(v, limit);
  }
  return v;
}

TEST(Dialects, MatchTheGoldenVectorsByteForByte) {
  ASSERT_EQ(vectors().at("now"), testing::kUnixNow);
  std::size_t rows = 0;
  for (const auto& [name, c] : vectors().at("cases").as_object()) {
    for (const auto& [word, lines] : c.as_object().at("headers").as_object()) {
      SCOPED_TRACE(std::string(name) + " " + std::string(word));
      policy::Response response;
      for (const policy::DialectRow& row : policy::kDialects) {
        if (row.word == std::string_view(word)) response.headers = {row.dialect};
      }
      Answer answer;
      render(answer, view_of_case(c.as_object(), response));
      EXPECT_EQ(answer.status, whole(c.as_object().at("status")));
      std::vector<std::string> sent;
      std::string retry;
      for (const Header& h : answer.headers) {
        std::string line = std::string(h.name) + ": " + std::string(h.value);
        if (h.name == "Retry-After") retry = line;
        if (h.name.starts_with("RateLimit") || h.name.starts_with("x-")) sent.push_back(line);
      }
      if (!retry.empty()) sent.push_back(retry);
      std::vector<std::string> expected;
      for (const json::value& line : lines.as_array()) expected.push_back(text(line));
      EXPECT_EQ(sent, expected);
      ++rows;
    }
  }
  EXPECT_EQ(rows, 24u);
}

TEST(Dialects, TheWholeDenialOfTheDraft) {
  policy::Response response;
  response.headers = {policy::Dialect::draft_11};
  response.body = policy::BodyKind::problem;
  const json::object& c = vectors().at("cases").at("S2_denied").as_object();
  Answer answer;
  render(answer, view_of_case(c, response));
  std::string all;
  for (std::size_t i = 0; i < answer.signals; ++i) {
    all += std::string(answer.headers[i].name) + ": " + std::string(answer.headers[i].value) + "\n";
  }
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(all,
            "Content-Type: application/problem+json\n"
            "Cache-Control: no-store\n"
            "Retry-After: 37\n"
            "RateLimit-Policy: \"burst\";q=10;w=1, \"daily\";q=1000;w=86400\n"
            "RateLimit: \"burst\";r=9;t=1, \"daily\";r=0;t=37\n"
            "Access-Control-Expose-Headers: RateLimit, RateLimit-Policy, Retry-After\n");
  EXPECT_EQ(answer.body,
            R"({"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",)"
            R"("title":"Quota Exceeded","status":429,)"
            R"("detail":"Policy daily allows 1000 requests per 86400 s; retry in 37 s.",)"
            R"("violated-policies":["daily"]})");
}

TEST(StructuredFieldParser, AgreesWithEveryVector) {
  for (const json::value& row : vectors().at("structured_fields").as_array()) {
    const std::string input = text(row.as_array()[0]);
    const std::string expected = text(row.as_array()[1]);
    SCOPED_TRACE(input);
    const auto list = sf::parse_list(input);
    if (expected.starts_with("ERR")) {
      EXPECT_FALSE(list.has_value());
    } else {
      ASSERT_TRUE(list.has_value());
      EXPECT_EQ("OK " + sf::serialize(*list), expected);
    }
  }
}

TEST(StructuredFieldParser, TellsTheGenerationsOfRateLimitApart) {
  EXPECT_FALSE(sf::parse_list("limit=10, remaining=9, reset=1"));
  const auto dictionary = sf::parse_dictionary("limit=10, remaining=9, reset=1");
  ASSERT_TRUE(dictionary);
  EXPECT_EQ(dictionary->size(), 3u);
  EXPECT_FALSE(sf::parse_dictionary("\"a\";r=9;t=1"));
}

}  // namespace
}  // namespace weir::answer
