// The service over a real Redis: what a policy says reaches the store, two instances share their
// counts, and it decides while Redis is away.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redis/testing/redis_process.h"
#include "remote/open_store.h"
#include "serve/store_watch.h"
#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using redis::testing::RedisClient;
using redis::testing::RedisProcess;
using testing::auth;
using testing::HttpClient;
using testing::Reply;
using testing::request;
using testing::TestServer;

// A second is long enough for a machine that is busy with other tests.
std::string policy(int port, const std::string& more = "") {
  return "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:" + std::to_string(port) +
         "\", timeout: 2s, secret: s, breaker: {errors: 2, window: 10s, retry: 20ms}" + more +
         "}\nclasses: [{name: login, match: [/login]}]\nlimits:\n"
         "  - {name: plan, key: [ip], except: [login], algorithm: fixed_window, limit: 20, window: "
         "1d}\n"
         "  - {name: guess, key: [ip], classes: [login], rate: 5/min, on_store_failure: closed}\n";
}

std::unique_ptr<TestServer> serve(const std::string& text) {
  return std::make_unique<TestServer>(text, "", ServeOptions{}, remote::open_store);
}

// Until Redis answers a decision: the first ones may come before a connection is there.
Reply until_counted(TestServer& weir, const std::string& ask) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (;;) {
    Reply reply = weir.ask(ask);
    if (!reply.field("Weir-Degraded") || std::chrono::steady_clock::now() > give_up) return reply;
    std::this_thread::yield();
  }
}

TEST(ServeRedis, TwoInstancesShareEveryCount) {
  const RedisProcess redis;
  const auto one = serve(policy(redis.port()));
  const auto other = serve(policy(redis.port()));
  const std::string peek = R"({"method":"GET","path":"/x","client_ip":"127.0.0.1","peek":true})";
  for (TestServer* weir : {one.get(), other.get()}) {
    until_counted(*weir, request("POST", "/v1/check", {}, peek));
  }
  while (one->check(peek).at("degraded").as_bool() || other->check(peek).at("degraded").as_bool()) {
    std::this_thread::yield();
  }
  std::vector<std::jthread> threads;
  std::atomic<int> admitted{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, weir = t % 2 ? one.get() : other.get()] {
      HttpClient client(weir->port());
      for (int i = 0; i < 10; ++i) admitted += client.ask(auth("GET", "/x"))->status == 200;
    });
  }
  threads.clear();
  EXPECT_EQ(admitted, 20);
  const boost::json::value usage = TestServer::parse(one->ask(request("GET", "/v1/usage")).body);
  int plans = 0;
  for (const boost::json::value& limit : usage.at("limits").as_array()) {
    if (limit.at("name") != "plan") continue;
    EXPECT_EQ(limit.at("used"), 20);
    ++plans;
  }
  EXPECT_EQ(plans, 1);
}

TEST(ServeRedis, UsesThePrefixAndTheDatabaseOfThePolicy) {
  const RedisProcess redis({"--requirepass", "hunter2"});
  std::string text = policy(redis.port(), ", prefix: acme, password: hunter2");
  const std::string url = "127.0.0.1:" + std::to_string(redis.port());
  text.replace(text.find(url), url.size(), url + "/3");
  const auto weir = serve(text);
  EXPECT_FALSE(until_counted(*weir, auth("GET", "/x")).field("Weir-Degraded"));
  RedisClient client(redis.port());
  client.text({"AUTH", "hunter2"});
  EXPECT_EQ(client.integer({"DBSIZE"}), 0);
  client.text({"SELECT", "3"});
  EXPECT_EQ(client.integer({"DBSIZE"}), 1);
  const redis::testing::Reply keys = client.command({"KEYS", "acme:*"});
  EXPECT_EQ(keys->elements, 1u);
}

// C52: up and ready without Redis, the failure policies decide, and it connects later.
TEST(ServeRedis, StartsWithoutRedisAndCountsWhenItComes) {
  const int port = RedisProcess::free_port();
  const auto weir = serve(policy(port));
  EXPECT_EQ(weir->ask(request("GET", "/readyz")).status, 200);
  const Reply open = weir->ask(auth("GET", "/x"));
  EXPECT_EQ(open.status, 200);
  EXPECT_EQ(open.field("Weir-Degraded"), "store");
  EXPECT_EQ(weir->ask(auth("GET", "/login")).status, 503);
  const boost::json::value verdict =
      weir->check(R"({"method": "GET", "path": "/x", "client_ip": "192.0.2.1"})");
  const boost::json::value& limit = verdict.at("limits").as_array().at(0);
  EXPECT_TRUE(verdict.at("degraded").as_bool());
  EXPECT_EQ(limit.at("limit"), 20);
  EXPECT_TRUE(limit.at("remaining").is_null()) << verdict;
  EXPECT_TRUE(limit.at("reset_ms").is_null()) << verdict;
  EXPECT_EQ(weir->ask(request("GET", "/v1/usage")).status, 503);
  EXPECT_EQ(weir->ask_admin(request("GET", "/readyz")).status, 200);
  const std::string text = weir->ask_admin(request("GET", "/metrics")).body;
  EXPECT_NE(text.find("weir_store_connections 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("weir_failure_policy_verdicts_total{policy=\"closed\"} 1\n"),
            std::string::npos);

  const RedisProcess redis({}, port);
  const Reply counted = until_counted(*weir, auth("GET", "/x"));
  EXPECT_EQ(counted.status, 200);
  EXPECT_NE(counted.field("RateLimit")->find("r=19"), std::string::npos)
      << *counted.field("RateLimit");
}

TEST(ServeRedis, SaysHowTheStoreFares) {
  auto redis = std::make_unique<RedisProcess>();
  const auto weir = serve(policy(redis->port()));
  until_counted(*weir, auth("GET", "/x"));
  const auto metrics = [&] { return weir->ask_admin(request("GET", "/metrics")).body; };
  std::string text = metrics();
  for (const char* line :
       {"weir_store_breaker{state=\"closed\"} 1\n", "weir_store_in_flight ",
        "weir_store_errors_total{kind=\"timeout\"} 0\n", "weir_store_answered_total "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find("weir_store_capacity_keys"), std::string::npos);
  redis.reset();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (text.find("weir_store_breaker_opened_total 0\n") != std::string::npos &&
         std::chrono::steady_clock::now() < give_up) {
    EXPECT_EQ(weir->ask(auth("GET", "/x")).status, 200);
    text = metrics();
  }
  EXPECT_EQ(text.find("weir_store_breaker_opened_total 0\n"), std::string::npos) << text;
}

TEST(StoreWatch, SaysOnceThatTheStoreIsAwayAndOnceThatItIsBack) {
  const int port = RedisProcess::free_port();
  const auto weir = serve(policy(port));
  StoreWatch watch(weir->server->engine().store());
  weir->ask(auth("GET", "/x"));
  ::testing::internal::CaptureStderr();
  watch.look();
  watch.look();
  const std::string away = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(away.begin(), away.end(), '\n'), 1) << away;
  EXPECT_NE(away.find("the store is away"), std::string::npos) << away;
  const RedisProcess redis({}, port);
  until_counted(*weir, auth("GET", "/x"));
  ::testing::internal::CaptureStderr();
  watch.look();
  watch.look();
  const std::string back = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(back.begin(), back.end(), '\n'), 1) << back;
  EXPECT_NE(back.find("the store is back"), std::string::npos) << back;
}

TEST(ServeRedis, RefusesFilesThatItCanNotRead) {
  std::string text = policy(1, ", tls: {ca: /nowhere/ca.pem}");
  text.replace(text.find("redis://"), 8, "rediss://");
  const auto opened = decide::Engine::open_text(text, "policy.yaml", "", remote::open_store);
  EXPECT_EQ(opened.engine, nullptr);
  ASSERT_FALSE(opened.findings.empty());
  EXPECT_NE(opened.findings.back().text().find("/nowhere/ca.pem"), std::string::npos)
      << opened.findings.back().text();
}

}  // namespace
}  // namespace weir::serve
