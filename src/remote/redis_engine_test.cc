// The installed engine over a real Redis, as a program uses it.
#include "weir/redis.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "redis/testing/redis_process.h"

namespace weir {
namespace {

using redis::testing::RedisProcess;

// Gets verdicts on any thread, and waits for them.
class Inbox {
 public:
  Callback callback() {
    return [this](Verdict verdict) {
      const std::lock_guard lock(mutex_);
      verdicts_.push_back(std::move(verdict));
      arrived_.notify_all();
    };
  }
  std::vector<Verdict> take(std::size_t n) {
    std::unique_lock lock(mutex_);
    const bool all =
        arrived_.wait_for(lock, std::chrono::seconds(20), [&] { return verdicts_.size() >= n; });
    EXPECT_TRUE(all) << verdicts_.size() << " of " << n;
    return std::exchange(verdicts_, {});
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return verdicts_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Verdict> verdicts_;
};

class RedisEngineApi : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Two seconds are long enough for a machine that is busy with other tests.
  static std::string policy(const std::string& limits, int port,
                            const std::string& timeout = "2s") {
    return "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:" + std::to_string(port) +
           "\", timeout: " + timeout + ", secret: s}\nlimits:\n" + limits;
  }
  RedisEngine open(const std::string& limits, int port, const std::string& timeout = "2s") {
    write(policy(limits, port, timeout));
    Result<RedisEngine> engine = RedisEngine::open(path());
    EXPECT_TRUE(engine) << engine.error().text();
    return std::move(*engine);
  }
  void write(const std::string& text) { std::ofstream(path()) << text; }
  std::string path() const { return (folder_ / "policy.yaml").string(); }

  static Verdict ask(const RedisEngine& engine, const Request& request) {
    Inbox inbox;
    engine.decide(request, inbox.callback());
    std::vector<Verdict> verdicts = inbox.take(1);
    return std::move(verdicts.at(0));
  }
  // The first decisions may come before a connection is there.
  static void connect(const RedisEngine& engine) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (ask(engine, {.client_ip = "192.0.2.1", .peek = true}).degraded()) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    }
  }

  std::filesystem::path folder_;
};

constexpr std::string_view kClient = "203.0.113.7";

TEST_F(RedisEngineApi, TwoProcessesShareOneCountAndAnswerAlike) {
  const RedisProcess redis;
  const std::string limits = "  - {name: plan, key: [ip], rate: 2/min}\n";
  const RedisEngine one = open(limits, redis.port());
  const RedisEngine other = open(limits, redis.port());
  connect(one);
  connect(other);
  const Request request{.method = "GET", .target = "/v1/x", .client_ip = kClient};
  EXPECT_TRUE(ask(one, request).admit());
  EXPECT_TRUE(ask(other, request).admit());
  const Verdict denied = ask(one, request);
  EXPECT_FALSE(denied.admit());
  EXPECT_FALSE(denied.degraded());
  EXPECT_EQ(denied.status(), 429);
  EXPECT_EQ(denied.governing(), "plan");
  ASSERT_TRUE(denied.retry_after());
  EXPECT_LE(*denied.retry_after(), std::chrono::seconds(30));
  const Answer answer = one.answer(denied);
  EXPECT_EQ(answer.status, 429);
  EXPECT_NE(answer.body.find("RATE_LIMIT_EXCEEDED"), std::string::npos) << answer.body;
}

TEST_F(RedisEngineApi, AdmitsExactlyTheLimitToManyThreads) {
  const RedisProcess redis;
  const std::string limits =
      "  - {name: day, key: global, algorithm: fixed_window, align: first, limit: 100, window: "
      "1d}\n";
  const RedisEngine engine = open(limits, redis.port(), "10s");
  connect(engine);
  constexpr int kThreads = 8;
  constexpr int kEach = 50;
  Inbox inbox;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        // Gone when `decide` returns, and before the verdict comes.
        const std::string target = "/v1/things/" + std::to_string(i);
        engine.decide({.method = "GET", .target = target, .client_ip = kClient}, inbox.callback());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  const std::vector<Verdict> verdicts = inbox.take(kThreads * kEach);
  EXPECT_EQ(std::count_if(verdicts.begin(), verdicts.end(),
                          [](const Verdict& v) { return v.admit() && !v.degraded(); }),
            100);
}

TEST_F(RedisEngineApi, ACallbackMayDecideAgain) {
  const RedisProcess redis;
  const RedisEngine engine = open("  - {name: plan, key: [ip], rate: 1/h}\n", redis.port());
  connect(engine);
  Inbox inbox;
  const Request request{.method = "GET", .target = "/", .client_ip = kClient};
  engine.decide(request, [&](const Verdict& first) {
    EXPECT_TRUE(first.admit());
    engine.decide(request, inbox.callback());
  });
  EXPECT_FALSE(inbox.take(1)[0].admit());
}

TEST_F(RedisEngineApi, DecidesByTheLimitsFailurePolicyWithoutARedis) {
  const RedisEngine engine = open(
      "  - {name: all, key: global, rate: 10/s}\n"
      "  - {name: guess, key: [ip], rate: 5/min, classes: [login], on_store_failure: closed}\n"
      "classes: [{name: login, match: [/login]}]\n",
      RedisProcess::free_port());
  const Verdict open = ask(engine, {.method = "GET", .target = "/", .client_ip = kClient});
  EXPECT_TRUE(open.degraded());
  EXPECT_TRUE(open.admit());
  const Verdict closed = ask(engine, {.method = "POST", .target = "/login", .client_ip = kClient});
  EXPECT_TRUE(closed.degraded());
  EXPECT_EQ(closed.status(), 503);
  EXPECT_EQ(engine.answer(closed).status, 503);
}

TEST_F(RedisEngineApi, CallsWhoStillWaitsBeforeItIsGone) {
  const RedisProcess redis;
  Inbox inbox;
  {
    const RedisEngine engine =
        open("  - {name: plan, key: [ip], rate: 5/min, on_store_failure: closed}\n", redis.port(),
             "10s");
    connect(engine);
    ASSERT_EQ(::kill(redis.pid(), SIGSTOP), 0);
    for (int i = 0; i < 10; ++i) {
      engine.decide({.method = "GET", .target = "/", .client_ip = kClient}, inbox.callback());
    }
  }
  EXPECT_EQ(inbox.size(), 10u);
  for (const Verdict& verdict : inbox.take(10)) EXPECT_EQ(verdict.status(), 503);
}

TEST_F(RedisEngineApi, CountsAMemoryPolicyAtOnceByTheClockGiven) {
  ManualClock clock(Instant{1'796'052'691'000'000'000});
  write("version: 1\ntiers: {free: 1/min}\n");
  Result<RedisEngine> engine = RedisEngine::open(path(), clock);
  ASSERT_TRUE(engine) << engine.error().text();
  Inbox inbox;
  const Request request{.method = "GET", .target = "/", .client_ip = kClient};
  for (int i = 0; i < 2; ++i) engine->decide(request, inbox.callback());
  EXPECT_EQ(inbox.size(), 2u);
  clock.advance(seconds(60));
  engine->decide(request, inbox.callback());
  const std::vector<Verdict> verdicts = inbox.take(3);
  EXPECT_TRUE(verdicts[0].admit());
  EXPECT_FALSE(verdicts[1].admit());
  EXPECT_TRUE(verdicts[2].admit());
}

TEST_F(RedisEngineApi, ReloadsWithoutLosingACount) {
  const RedisProcess redis;
  const std::string limit =
      "  - {name: day, key: [ip], algorithm: fixed_window, align: first, window: 1d, limit: ";
  RedisEngine engine = open(limit + "5}\n", redis.port());
  connect(engine);
  const std::string id = engine.policy_id();
  const Request request{.method = "GET", .target = "/", .client_ip = kClient};
  EXPECT_EQ(ask(engine, request).limit(0).outcome.remaining, 4u);
  write("version: 1\nlimits: wrong\n");
  const Result<void> wrong = engine.reload();
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("policy.yaml:2:"), std::string::npos);
  EXPECT_EQ(engine.policy_id(), id);
  write(policy(limit + "50}\n", redis.port()));
  ASSERT_TRUE(engine.reload());
  EXPECT_NE(engine.policy_id(), id);
  EXPECT_EQ(ask(engine, request).limit(0).outcome.remaining, 48u);
}

TEST_F(RedisEngineApi, SaysWhatIsWrongWithAPolicy) {
  write("version: 1\nstore: \"redis://\"\ntiers: {free: 2/min}\n");
  const Result<RedisEngine> engine = RedisEngine::open(path());
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().text().find("policy.yaml:2:"), std::string::npos)
      << engine.error().text();
}

}  // namespace
}  // namespace weir
