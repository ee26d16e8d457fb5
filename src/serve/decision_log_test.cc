#include "serve/decision_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::auth;
using testing::HttpClient;
using testing::TestServer;

class DecisionLogTest : public ::testing::Test {
 protected:
  ~DecisionLogTest() override { std::remove(path_.c_str()); }
  std::vector<boost::json::value> lines() const {
    std::vector<boost::json::value> out;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) out.push_back(TestServer::parse(line));
    return out;
  }
  const std::string path_ =
      ::testing::TempDir() + "weir_log_" + std::to_string(::getpid()) + ".ndjson";
};

constexpr std::string_view kPolicy = R"(version: 1
tiers: {anonymous: {}, none: {}}
limits:
  - {name: plan, key: [ip], tiers: {anonymous: {rate: 2/min, burst: 3}, none: deny}}
  - {name: maybe, key: global, algorithm: sliding_window, limit: 1, window: 10s, mode: shadow}
)";

TEST_F(DecisionLogTest, HoldsAllThatAModelNeedsInTheOrderOfTheDecisions) {
  ServeOptions options;
  options.decision_log = path_;
  options.threads = 4;
  TestServer weir(kPolicy, {}, options);
  HttpClient client(weir.port());
  const std::string ask = auth("GET", "/secret?token=s3cret", {{"X-Api-Key", "s3cret"}});
  const auto first = client.ask(ask);
  ASSERT_TRUE(first);
  weir.clock.advance(milliseconds(5));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client.ask(ask));
  weir.check(R"({"method":"GET","path":"/","client_ip":"203.0.113.7","peek":true,"cost":2})");
  weir.server->stop();

  const auto log = lines();
  ASSERT_EQ(log.size(), 5u);
  const boost::json::object& a = log[0].as_object();
  EXPECT_EQ(a.at("now_ns"), 1'000'000'000);
  EXPECT_EQ(a.at("wall_offset_ns"), testing::kStart.ns - 1'000'000'000);
  EXPECT_EQ(a.at("endpoint"), "auth");
  EXPECT_EQ(a.at("class"), "default");
  EXPECT_EQ(a.at("tier"), "anonymous");
  EXPECT_EQ(a.at("client_ip"), "127.0.0.1");
  EXPECT_EQ(a.at("admit"), true);
  EXPECT_EQ(a.at("status"), 200);
  EXPECT_EQ(a.at("headers").at("RateLimit"), boost::json::value(*first->field("RateLimit")));
  const boost::json::object& plan = a.at("limits").as_array().at(0).as_object();
  EXPECT_EQ(plan.at("name"), "plan");
  EXPECT_EQ(plan.at("key").as_string().size(), 32u);
  EXPECT_EQ(plan.at("algorithm"), "token_bucket");
  EXPECT_EQ(plan.at("count"), 2);
  EXPECT_EQ(plan.at("period_ns"), 60'000'000'000);
  EXPECT_EQ(plan.at("burst"), 3);
  EXPECT_EQ(plan.at("cost"), 1);
  EXPECT_EQ(plan.at("remaining"), 2);
  EXPECT_EQ(plan.at("mode"), "enforce");
  EXPECT_EQ(a.at("limits").as_array().at(1).at("mode"), "shadow");

  const boost::json::object& denied = log[3].as_object();
  EXPECT_EQ(denied.at("now_ns"), 1'005'000'000);
  EXPECT_EQ(denied.at("admit"), false);
  EXPECT_EQ(denied.at("status"), 429);
  EXPECT_EQ(denied.at("reason"), "limit_exceeded");
  EXPECT_EQ(denied.at("retry_after_ms"), 29'995);
  EXPECT_EQ(denied.at("limits").as_array().at(0).at("wait_ns"), 29'995'000'000);
  EXPECT_EQ(denied.at("limits").as_array().at(0).at("key"), plan.at("key"));
  EXPECT_EQ(log[4].at("peek"), true);
  EXPECT_EQ(log[4].at("client_ip"), "203.0.113.7");
  EXPECT_EQ(log[4].at("limits").as_array().at(0).at("cost"), 2);
  EXPECT_NE(log[4].at("limits").as_array().at(0).at("key"), plan.at("key"));

  std::ifstream in(path_);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text.find("s3cret"), std::string::npos);
}

TEST_F(DecisionLogTest, IsFlushedWhileServing) {
  ServeOptions options;
  options.decision_log = path_;
  TestServer weir(kPolicy, {}, options);
  weir.ask(auth("GET", "/"));
  weir.server->flush();
  while (lines().empty()) std::this_thread::yield();
}

TEST_F(DecisionLogTest, WithoutAFileThePolicysSampleGoesToStderr) {
  ::testing::internal::CaptureStderr();
  {
    TestServer weir(std::string(kPolicy) +
                    "observe: {decision_log: {denied: 1.0, allowed: 0.0}}\n");
    HttpClient client(weir.port());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(client.ask(auth("GET", "/")));
    weir.server->stop();
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);  // the two of five that were denied
  EXPECT_EQ(text.find("\"status\":200"), std::string::npos);
}

TEST_F(DecisionLogTest, CountsWritesThatFail) {
  DecisionLog log(-1);
  auto opened = decide::Engine::open_text(kPolicy, testing::kNoFile);
  ASSERT_TRUE(opened.engine);
  const auto snapshot = opened.engine->snapshot();
  const identity::Facts facts;
  answer::Answer answer;
  log.write("auth", *snapshot, facts, decide::Decision{}, answer);
  log.flush();
  EXPECT_EQ(log.errors().load(), 1u);
}

TEST_F(DecisionLogTest, SaysOnceThatTheDiskIsFull) {
  ServeOptions options;
  options.decision_log = "/dev/full";
  ::testing::internal::CaptureStderr();
  {
    TestServer weir(kPolicy, {}, options);
    for (int i = 0; i < 3; ++i) {
      weir.ask(auth("GET", "/"));
      weir.server->flush();
    }
    weir.server->stop();
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  const std::size_t first = text.find("decision log cannot be written");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("No space left"), std::string::npos) << text;
  EXPECT_EQ(text.find("decision log cannot be written", first + 1), std::string::npos) << text;
}

TEST_F(DecisionLogTest, GoesOnWithAWholeLineAfterTheDiskWasFull) {
  ServeOptions options;
  options.decision_log = path_;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto xfsz = ::signal(SIGXFSZ, SIG_IGN);
  {
    TestServer weir(kPolicy, {}, options);
    const rlimit small{1500, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 5; ++i) weir.ask(auth("GET", "/"));
    weir.server->flush();
    while (std::filesystem::file_size(path_) < 1500) std::this_thread::yield();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    weir.ask(auth("PUT", "/"));
    weir.server->stop();
  }
  ::signal(SIGXFSZ, xfsz);
  std::ifstream in(path_);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_EQ(last, 1501u);
  EXPECT_EQ(TestServer::parse(text.substr(last)).at("method"), "PUT");
}

// Between a surface that cannot wait and one that can, a queue decides differently.
TEST_F(DecisionLogTest, HoldsHowLongTheSurfaceCanWait) {
  ServeOptions options;
  options.decision_log = path_;
  TestServer weir(R"(version: 1
limits:
  - {name: queue, key: global, algorithm: leaky_bucket, rate: 1000/s, queue: 9}
  - {name: held, key: global, algorithm: leaky_bucket, rate: 1000/s, queue: 8, hold: 2s}
)",
                  {}, options);
  weir.ask(auth("GET", "/"));
  weir.check(R"({"method":"GET","path":"/"})");
  weir.server->stop();
  const auto log = lines();
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].at("limits").as_array().at(0).at("max_delay_ns"), 0);
  EXPECT_EQ(log[0].at("limits").as_array().at(1).at("max_delay_ns"), 2'000'000'000);
  EXPECT_TRUE(log[1].at("limits").as_array().at(0).at("max_delay_ns").is_null());
}

TEST_F(DecisionLogTest, OfAFileThatCannotBeOpenedIsAnError) {
  const auto log = DecisionLog::open("/nonexistent/weir.ndjson");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().where, "/nonexistent/weir.ndjson");
}

}  // namespace
}  // namespace weir::serve
