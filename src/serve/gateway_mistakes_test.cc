// What a wrong gateway leaves behind: a line a second and kind, and a metric.
#include "serve/gateway_mistakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::auth;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::request;
using testing::TestServer;

constexpr Now at_ms(std::uint64_t ms) { return {Instant{ms * 1'000'000}, 0}; }

TEST(GatewayMistakes, AreALineASecondAndKindThatSaysHowManyItStandsFor) {
  GatewayMistakes mistakes;
  const auto missing = GatewayMistake::missing_field;
  EXPECT_EQ(mistakes.count(missing, at_ms(5'000)), 0U);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(mistakes.count(missing, at_ms(5'999)));
  EXPECT_EQ(mistakes.count(GatewayMistake::not_allowed, at_ms(5'999)), 0U);  // a kind of its own
  EXPECT_EQ(mistakes.count(missing, at_ms(6'000)), 7U);
  EXPECT_FALSE(mistakes.count(missing, at_ms(6'001)));
  EXPECT_EQ(mistakes.count(missing, at_ms(60'000)), 1U);
  EXPECT_EQ(mistakes.total(missing), 11U);
  EXPECT_EQ(mistakes.total(GatewayMistake::wrong_stage), 0U);
}

TEST(GatewayMistakes, OfManyThreadsOneWritesTheLine) {
  GatewayMistakes mistakes;
  std::atomic<int> lines{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1'000; ++i) {
        if (mistakes.count(GatewayMistake::wrong_method, at_ms(9'000))) ++lines;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(mistakes.count(GatewayMistake::wrong_method, at_ms(10'000)), 3'999U);
}

TEST(GatewayMistakes, OfEachKindAreCountedAndLogged) {
  const struct {
    const char* kind;
    std::string request;
    std::string line;  // what it holds besides
  } kCases[] = {
      {"missing_field", request("GET", "/v1/auth", {{"X-Forwarded-Method", "GET"}}),
       "endpoint=auth field=X-Forwarded-Uri peer=127.0.0.1"},
      {"missing_field", request("GET", "/v1/auth/nginx", {{"X-Original-URI", "/"}}),
       "endpoint=nginx field=X-Original-Method"},
      {"repeated_field", auth("GET", "/", {{"x-forwarded-uri", "/b"}}), "field=X-Forwarded-Uri"},
      {"wrong_method", auth("G T", "/"), "field=X-Forwarded-Method"},
      {"wrong_stage", auth("GET", "/", {}, "/v1/auth?stage=x"), "field=stage"},
  };
  for (const auto& c : kCases) {
    TestServer weir("version: 1\ntiers: {t: {}}\nlimits: [{name: a, key: [ip], rate: 9/min}]\n");
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 3; ++i) weir.ask(c.request);
    weir.clock.advance(seconds(1));
    weir.ask(c.request);
    weir.ask(auth("GET", "/"));  // is none
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, HasSubstr("level=warning msg=\"gateway mistake\" kind=" + std::string(c.kind)))
        << c.line;
    EXPECT_THAT(log, HasSubstr(c.line)) << c.kind;
    EXPECT_THAT(log, HasSubstr("suppressed=2")) << c.kind;
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
    EXPECT_THAT(weir.ask_admin(request("GET", "/metrics")).body,
                HasSubstr("weir_gateway_mistakes_total{kind=\"" + std::string(c.kind) + "\"} 4"));
  }
}

TEST(GatewayMistakes, APeerThatMayNotAskIsOne) {
  TestServer weir(
      "version: 1\ntiers: {t: {}}\nlisteners: {allow_from: [192.0.2.0/24]}\n"
      "limits: [{name: a, key: [ip], rate: 1/min}]\n");
  ::testing::internal::CaptureStderr();
  weir.ask(request("GET", "/v1/usage"));
  weir.ask(request("GET", "/healthz"));
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("kind=not_allowed endpoint=usage peer=127.0.0.1 suppressed=0"));
  EXPECT_THAT(log, Not(HasSubstr("field=")));
  const std::string metrics = weir.ask_admin(request("GET", "/metrics")).body;
  EXPECT_THAT(metrics, HasSubstr("weir_gateway_mistakes_total{kind=\"not_allowed\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("weir_gateway_mistakes_total{kind=\"wrong_stage\"} 0"));
}

}  // namespace
}  // namespace weir::serve
