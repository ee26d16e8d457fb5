#include "answer/body.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "answer/answer.h"
#include "answer/testing/views.h"

namespace weir::answer {
namespace {

using testing::add;
using testing::denied;
using testing::limit;
using testing::value;
using testing::view_of;

LimitView spent_minute() {
  return denied(limit("plan-minute", 100, minutes(1), 0, Algorithm::fixed_window), seconds(30));
}

// 100 a minute, spent, 30 s to go.
struct Example : ::testing::Test {
  Example() {
    response.cors_expose = false;
    response.docs = "https://docs.acme.example/limits";
    view = view_of(response);
    view.tier_name = "free";
    view.upgrade_label = "Pro";
    view.upgrade_url = "https://acme.example/upgrade";
    add(view, spent_minute());
  }
  std::string signals() {
    render(answer, view);
    std::string all;
    for (std::size_t i = 0; i < answer.signals; ++i) {
      all += std::string(answer.headers[i].name) + ": " + std::string(answer.headers[i].value);
      all += '\n';
    }
    return all;
  }
  policy::Response response;
  View view;
  Answer answer;
};

TEST_F(Example, SendsTheHeadersInThisOrder) {
  EXPECT_EQ(signals(),
            "Content-Type: application/problem+json\n"
            "Cache-Control: no-store\n"
            "Retry-After: 30\n"
            "RateLimit-Policy: \"plan-minute\";q=100;w=60\n"
            "RateLimit: \"plan-minute\";r=0;t=30\n"
            "RateLimit-Limit: 100\n"
            "RateLimit-Remaining: 0\n"
            "RateLimit-Reset: 30\n");
}

TEST_F(Example, ShowsTheEpochWhereThePolicyAsksForIt) {
  response.reset_epoch = true;
  signals();
  EXPECT_EQ(value(answer, "RateLimit-Reset"), "1796052721");
  EXPECT_EQ(value(answer, "RateLimit"), "\"plan-minute\";r=0;t=30");
}

TEST_F(Example, SendsTheBodyMemberForMember) {
  signals();
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_EQ(
      answer.body,
      R"({"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",)"
      R"("title":"Quota Exceeded","status":429,)"
      R"("detail":"Policy plan-minute allows 100 requests per 60 s; retry in 30 s.",)"
      R"("violated-policies":["plan-minute"],)"
      R"("error":{"code":"RATE_LIMIT_EXCEEDED",)"
      R"("message":"Rate limit exceeded: 100 requests per 1 minute. Try again in 30 seconds.",)"
      R"("retryAfter":30,"limit":100,"window":"1m",)"
      R"("documentation":"https://docs.acme.example/limits",)"
      R"("currentUsage":{"used":100,"limit":100,"window":"1 minute",)"
      R"("resetsAt":"2026-11-30T15:32:01Z"},)"
      R"("upgrade":{"message":"Upgrade to Pro for higher limits.",)"
      R"("url":"https://acme.example/upgrade"}}})");
}

TEST_F(Example, SendsTheProblemOrTheErrorAlone) {
  response.body = policy::BodyKind::problem;
  signals();
  EXPECT_FALSE(boost::json::parse(answer.body).as_object().contains("error"));
  response.body = policy::BodyKind::error;
  signals();
  const auto error = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(error.size(), 1u);
  EXPECT_TRUE(error.contains("error"));
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(value(answer, "Content-Type"), "application/json");
}

TEST_F(Example, LeavesOutWhatIsNotThere) {
  response.docs.clear();
  view.upgrade_label = {};  // S28: the highest public tier has nothing above it
  signals();
  const auto error = boost::json::parse(answer.body).at("error").as_object();
  EXPECT_FALSE(error.contains("upgrade"));
  EXPECT_FALSE(error.contains("documentation"));
  view.upgrade_label = "Pro";
  view.upgrade_url = {};
  signals();
  EXPECT_FALSE(boost::json::parse(answer.body).at("error").as_object().contains("upgrade"));
}

TEST_F(Example, AnAdmissionHasTheSameFieldsAndNoBody) {
  view = view_of(response);
  add(view, testing::ends_in(limit("plan-minute", 100, minutes(1), 40, Algorithm::fixed_window),
                             seconds(30)));
  EXPECT_EQ(signals(),
            "RateLimit-Policy: \"plan-minute\";q=100;w=60\n"
            "RateLimit: \"plan-minute\";r=40;t=30\n"
            "RateLimit-Limit: 100\n"
            "RateLimit-Remaining: 40\n"
            "RateLimit-Reset: 30\n");
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.content_type, "");
}

TEST_F(Example, ACapacityLimitAnswers503WithoutAnUpgrade) {
  view.status = 503;
  signals();
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("type"),
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
  EXPECT_EQ(body.at("title"), "Temporary Reduced Capacity");
  EXPECT_EQ(body.at("status"), 503);
  EXPECT_EQ(body.at("error").at("code"), "SERVICE_OVERLOADED");
  EXPECT_EQ(body.at("error").at("message"), "The service is at capacity. Try again in 30 seconds.");
  EXPECT_FALSE(body.at("error").as_object().contains("upgrade"));
}

TEST_F(Example, AStoreThatFailsClosedIsTemporary) {
  view = view_of(response);
  add(view, denied(limit("login-account", 0, {}, 0), Duration::max(), Reason::store_failure));
  view.status = 503;
  view.degraded = true;
  signals();
  EXPECT_EQ(value(answer, "Retry-After"), "1");
  EXPECT_EQ(value(answer, "Weir-Degraded"), "store");
  EXPECT_EQ(value(answer, "RateLimit"), "(absent)");
  EXPECT_EQ(value(answer, "RateLimit-Limit"), "(absent)");
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("detail"),
            "Policy login-account cannot be checked at the moment; retry in 1 s.");
  EXPECT_EQ(body.at("error").at("retryAfter"), 1);
  EXPECT_FALSE(body.at("error").as_object().contains("currentUsage"));
}

TEST_F(Example, APlanWithoutTheClassHasNoRetryAfter) {
  view = view_of(response);
  view.upgrade_label = "Pro";
  view.upgrade_url = "https://acme.example/upgrade";
  add(view, denied(limit("llm-tokens", 0, {}, 0), Duration::max(), Reason::not_in_plan));
  signals();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(value(answer, "Retry-After"), "(absent)");
  EXPECT_EQ(value(answer, "RateLimit"), "(absent)");
  EXPECT_EQ(value(answer, "Weir-Reason"), "not_in_plan");
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("detail"),
            "Policy llm-tokens admits no request of this plan: the plan does not include it.");
  EXPECT_FALSE(body.at("error").as_object().contains("retryAfter"));
  EXPECT_TRUE(body.at("error").as_object().contains("upgrade"));
}

TEST_F(Example, ACostThatNeverFitsHasNoRetryAfterAndNoT) {
  view = view_of(response);
  LimitView big = limit("daily", 1000, days(1), 700);
  big.cost = 2000;
  add(view, denied(big, Duration::max(), Reason::cost_exceeds_limit));
  signals();
  EXPECT_EQ(value(answer, "Retry-After"), "(absent)");
  EXPECT_EQ(value(answer, "RateLimit"), "\"daily\";r=700");
  EXPECT_EQ(value(answer, "RateLimit-Reset"), "60480");  // a reset, no promise
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("detail"),
            "Policy daily allows 1000 requests per 86400 s; this request costs 2000 and never "
            "fits.");
}

TEST_F(Example, SpeaksOfTheGoverningLimitNotOfAMinute) {  // S29
  view = view_of(response);
  LimitView points = denied(limit("search", 1, hours(2), 0), milliseconds(1500));
  points.unit = "points";
  add(view, spent_minute());
  view.retry_after = {};
  view.governing = 1;
  add(view, points);
  view.governing = 1;
  view.retry_after = milliseconds(1500);
  signals();
  const auto error = boost::json::parse(answer.body).at("error").as_object();
  EXPECT_EQ(error.at("message"),
            "Rate limit exceeded: 1 point per 2 hours. Try again in 2 seconds.");
  EXPECT_EQ(error.at("window"), "2h");
  EXPECT_EQ(error.at("currentUsage").at("window"), "2 hours");
  EXPECT_EQ(error.at("retryAfter"), 2);
  EXPECT_EQ(value(answer, "Weir-Violated"), "\"plan-minute\",\"search\"");
}

TEST_F(Example, UsageIsANumberWhateverTheReasonWas) {  // S26, S27
  for (const Reason reason :
       {Reason::limit_exceeded, Reason::cost_exceeds_limit, Reason::not_in_plan,
        Reason::missing_key, Reason::table_full, Reason::store_failure}) {
    SCOPED_TRACE(name(reason));
    view = view_of(response);
    add(view, denied(limit("x", 5, seconds(1), 2), Duration::max(), reason));
    signals();
    const auto error = boost::json::parse(answer.body).at("error").as_object();
    EXPECT_EQ(answer.body.find("nan"), std::string::npos);
    if (!error.contains("currentUsage")) continue;
    EXPECT_EQ(error.at("currentUsage").at("used"), 3);
    EXPECT_EQ(error.at("currentUsage").at("resetsAt").as_string().size(), 20u);
  }
}

TEST_F(Example, ResetIsWhenItResetsAndNeverInThePast) {  // S24, S30
  response.reset_epoch = true;
  for (const std::uint64_t ms : {1u, 999u, 1'000u, 1'001u, 29'500u, 59'999u}) {
    view = view_of(response);
    view.now.wall_offset_ns += 250'000'000;
    add(view, denied(limit("plan-minute", 100, minutes(1), 0, Algorithm::fixed_window),
                     milliseconds(ms)));
    signals();
    const std::uint64_t exact_ms = testing::kUnixNow * 1000 + 250 + ms;
    EXPECT_EQ(value(answer, "RateLimit-Reset"), std::to_string((exact_ms + 999) / 1000));
    EXPECT_EQ(value(answer, "Retry-After"), std::to_string((ms + 999) / 1000));
  }
}

TEST_F(Example, EscapesWhatPeopleWrite) {
  view.upgrade_label = "Pr\xc3\xb6 \"\xf0\x9f\x9a\x80\" \\ \x01\xff";
  signals();
  EXPECT_NE(answer.body.find(R"(Upgrade to Pr\u00f6 \"\ud83d\ude80\" \\ \u0001\ufffd for)"),
            std::string::npos)
      << answer.body;
  EXPECT_EQ(boost::json::parse(answer.body).at("error").at("upgrade").at("message"),
            "Upgrade to Pr\xc3\xb6 \"\xf0\x9f\x9a\x80\" \\ \x01\xef\xbf\xbd for higher limits.");
}

TEST(Body, FitsIntoTwoKibibytesWithSixteenLongNames) {
  policy::Response response;
  response.docs = "https://docs.acme.example/" + std::string(400, 'd');
  View view = view_of(response);
  view.upgrade_label = "Pro";
  const std::string url = "https://acme.example/" + std::string(500, 'u');
  view.upgrade_url = url;
  std::array<std::string, 16> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = std::string(63, 'n') + static_cast<char>('a' + i);
    add(view, denied(limit(names[i], 10, seconds(1), 0), seconds(i + 1)));
  }
  Answer answer;
  render(answer, view);
  EXPECT_LE(answer.body.size(), kMaxBody);
  const auto body = boost::json::parse(answer.body).as_object();
  EXPECT_FALSE(body.at("error").as_object().contains("upgrade"));
  EXPECT_EQ(body.at("violated-policies").as_array().size(), 16u);
  EXPECT_EQ(body.at("error").at("retryAfter"), 16);
}

TEST(Body, KeepsTheGoverningNameBeforeAllOthersAndNoneBeforeNoBody) {
  policy::Response response;
  View view = view_of(response);
  std::array<std::string, 16> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = std::string(200, static_cast<char>('a' + i));
    add(view, denied(limit(names[i], 10, seconds(1), 0), seconds(i + 1)));
  }
  Answer answer;
  render(answer, view);
  auto body = boost::json::parse(answer.body).as_object();
  ASSERT_EQ(body.at("violated-policies").as_array().size(), 1u);
  EXPECT_EQ(body.at("violated-policies").as_array()[0].as_string(), names[15]);

  names[15].assign(3000, 'z');
  view.verdicts[15].name = names[15];
  render(answer, view);
  EXPECT_LE(answer.body.size(), kMaxBody);
  body = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(body.at("violated-policies").as_array().size(), 0u);
  EXPECT_EQ(body.at("error").at("retryAfter"), 16);
}

}  // namespace
}  // namespace weir::answer
