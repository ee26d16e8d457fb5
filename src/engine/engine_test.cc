// The installed engine API, as a program uses it.
#include "weir/engine.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weir {
namespace {

class EngineApi : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view text) {
    std::string path = (folder_ / "policy.yaml").string();
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_;
  ManualClock clock_{Instant{1'796'052'691'000'000'000}};
};

TEST_F(EngineApi, DecidesAndAnswers) {
  const std::string path =
      write("version: 1\ntiers: {free: 2/min}\nresponse: {cors_expose: false}\n");
  Result<Engine> engine = Engine::open(path, clock_);
  ASSERT_TRUE(engine) << engine.error().text();
  const Request request{.method = "GET", .target = "/v1/x", .client_ip = "203.0.113.7"};
  EXPECT_TRUE(engine->decide(request).admit());
  EXPECT_TRUE(engine->decide(request).admit());
  const Verdict denied = engine->decide(request);
  EXPECT_FALSE(denied.admit());
  EXPECT_EQ(denied.status(), 429);
  EXPECT_EQ(denied.tier(), "free");
  EXPECT_EQ(denied.route_class(), "default");
  EXPECT_EQ(denied.retry_after(), std::chrono::seconds(30));
  const Answer answer = engine->answer(denied);
  EXPECT_EQ(answer.status, 429);
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : answer.headers) {
    EXPECT_TRUE(headers.emplace(name, value).second) << name << " is there twice";
  }
  EXPECT_EQ(headers["Retry-After"], "30");
  EXPECT_EQ(headers["Content-Type"], "application/problem+json");
  EXPECT_NE(answer.body.find("\"retryAfter\":30"), std::string::npos) << answer.body;
}

TEST_F(EngineApi, RefusesAStoreThatItCannotAsk) {
  Result<Engine> engine = Engine::open(
      write("version: 1\nstore: \"redis://127.0.0.1:6379/0\"\ntiers: {free: 2/min}\n"));
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().text().find("ask `decide(request, callback)`"), std::string::npos)
      << engine.error().text();
}

TEST_F(EngineApi, CallsBackBeforeItReturns) {
  Result<Engine> engine = Engine::open(write("version: 1\ntiers: {free: 1/min}\n"), clock_);
  ASSERT_TRUE(engine) << engine.error().text();
  std::vector<Verdict> verdicts;
  for (int i = 0; i < 2; ++i) {
    engine->decide({.method = "GET", .target = "/", .client_ip = "203.0.113.7"},
                   [&](Verdict verdict) { verdicts.push_back(std::move(verdict)); });
  }
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_TRUE(verdicts[0].admit());
  EXPECT_FALSE(verdicts[1].admit());
  EXPECT_FALSE(verdicts[1].degraded());
  EXPECT_EQ(engine->answer(verdicts[1]).status, 429);
}

TEST_F(EngineApi, KeepsTheOldPolicyWhenTheNewOneIsWrong) {
  const std::string path = write("version: 1\ntiers: {free: 2/min}\n");
  Result<Engine> engine = Engine::open(path, clock_);
  ASSERT_TRUE(engine) << engine.error().text();
  const std::string id = engine->policy_id();
  write("version: 1\ntiers: {free: 2/horu}\n");
  const Result<void> reloaded = engine->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_NE(reloaded.error().text().find("policy.yaml:2:"), std::string::npos);
  EXPECT_EQ(engine->policy_id(), id);
  write("version: 1\ntiers: {free: 3/min}\n");
  EXPECT_TRUE(engine->reload());
  EXPECT_NE(engine->policy_id(), id);
}

TEST_F(EngineApi, SaysWhatIsWrongWithAPolicyThatIsNotThere) {
  const Result<Engine> engine = Engine::open((folder_ / "missing.yaml").string());
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().text().find("missing.yaml"), std::string::npos);
}

TEST_F(EngineApi, AVerdictOutlivesTheEngineThatMadeIt) {
  Verdict verdict;
  {
    Result<Engine> engine = Engine::open(write("version: 1\ntiers: {free: 2/min}\n"), clock_);
    ASSERT_TRUE(engine) << engine.error().text();
    engine->decide({.method = "GET", .target = "/", .client_ip = "203.0.113.7"}, verdict);
  }
  EXPECT_EQ(verdict.tier(), "free");
}

}  // namespace
}  // namespace weir
