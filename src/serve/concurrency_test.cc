// Many connections on one key, reloads under load, and a stop in the middle: exact counts, no
// failed request.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::auth;
using testing::HttpClient;
using testing::request;
using testing::TestServer;

struct Day {
  const char* name;
  const char* limit;
};

class ThousandADay : public ::testing::TestWithParam<Day> {};

// 64 keep-alive connections, driven by 8 threads, 1,280 requests in all.
TEST_P(ThousandADay, Admits1000Of64Connections) {
  TestServer weir("version: 1\ntiers: {anonymous: {}}\nlimits:\n  - {name: day, key: [ip], " +
                  std::string(GetParam().limit) + "}\n");
  const bool queue = std::string(GetParam().name) == "leaky_bucket";
  const std::string ask = queue
                              ? request("POST", "/v1/check", {},
                                        R"({"method":"GET","path":"/","client_ip":"203.0.113.7"})")
                              : auth("GET", "/");
  std::atomic<int> admitted{0}, denied{0}, failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      std::vector<std::unique_ptr<HttpClient>> clients;
      for (int i = 0; i < 8; ++i) clients.push_back(std::make_unique<HttpClient>(weir.port()));
      for (int round = 0; round < 20; ++round) {
        for (auto& client : clients) client->send(ask);
        for (auto& client : clients) {
          const auto reply = client->read();
          if (!reply) {
            ++failed;
          } else if (queue) {
            ++(reply->body.starts_with(R"({"admit":true)") ? admitted : denied);
          } else {
            ++(reply->status == 200 ? admitted : reply->status == 429 ? denied : failed);
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(admitted, 1000);
  EXPECT_EQ(denied, 280);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ThousandADay,
    ::testing::Values(Day{"token_bucket", "rate: 1000/day, burst: 1000"},
                      Day{"fixed_window", "algorithm: fixed_window, limit: 1000, window: 1d"},
                      Day{"sliding_window", "algorithm: sliding_window, limit: 1000, window: 1d"},
                      Day{"sliding_log", "algorithm: sliding_log, limit: 1000, window: 1d"},
                      Day{"leaky_bucket", "algorithm: leaky_bucket, rate: 1000/day, queue: 999"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(TwoTenants, NeverExceedTheirGlobalLimitTogether) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\nlimits:\n"
      "  - {name: tenant, key: [t], rate: 5000/day}\n  - {name: all, key: global, rate: 500/day}\n"
      "identity: {keys: {t: {from: \"header:x-tenant\"}}}\n");
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      HttpClient client(weir.port());
      for (int i = 0; i < 100; ++i) {
        const auto reply = client.ask(auth("GET", "/", {{"X-Tenant", t % 2 == 0 ? "a" : "b"}}));
        if (reply && reply->status == 200) ++admitted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 500);
}

TEST(Reload, UnderLoadFailsNoRequestAndLosesNoCount) {
  const std::string policy =
      "version: 1\ntiers: {anonymous: {}}\nlimits: [{name: day, key: [ip], rate: 500/day}]\n";
  TestServer weir(policy);
  std::atomic<int> admitted{0}, failed{0};
  std::atomic<bool> done{false};
  std::jthread reloads([&] {
    for (int i = 0; !done; ++i) {
      const std::string other = policy + (i % 2 == 0 ? "response: {cors_expose: false}\n" : "");
      EXPECT_TRUE(weir.server->engine().reload_text(other).adopted);
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      HttpClient client(weir.port());
      for (int i = 0; i < 200; ++i) {
        const auto reply = client.ask(auth("GET", "/"));
        if (!reply || (reply->status != 200 && reply->status != 429)) ++failed;
        if (reply && reply->status == 200) ++admitted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  reloads.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(admitted, 500);
}

TEST(Reload, KeepsTheOldPolicyWhereTheNewOneIsWrong) {
  const std::string path =
      ::testing::TempDir() + "weir_reload_" + std::to_string(::getpid()) + ".yaml";
  const auto write = [&](const std::string& limits) {
    std::ofstream(path) << "version: 1\ntiers: {anonymous: {}}\nlimits:\n" << limits;
  };
  write("  - {name: a, key: [ip], rate: 5/min}\n");
  ManualClock clock(testing::kStart, {1'000'000'000});
  Server::Opened opened = Server::open(
      {.policy_file = path, .listen = "127.0.0.1:0", .admin = "127.0.0.1:0", .threads = 1}, clock);
  ASSERT_TRUE(opened.server);
  opened.server->start();
  HttpClient client(opened.server->port());
  EXPECT_EQ(client.ask(auth("GET", "/"))->field("RateLimit-Remaining"), "4");
  write("  - {name: a, key: [ip], rate: 5/month}\n  - {name: b, ky: [ip]}\n");
  const auto refused = opened.server->reload();
  EXPECT_FALSE(refused.adopted);
  EXPECT_GE(refused.findings.size(), 2u);
  EXPECT_EQ(client.ask(auth("GET", "/"))->field("RateLimit-Remaining"), "3");
  write("  - {name: a, key: [ip], rate: 10/min}\n");
  EXPECT_TRUE(opened.server->reload().adopted);
  EXPECT_EQ(client.ask(auth("GET", "/"))->field("RateLimit-Limit"), "10");
  std::remove(path.c_str());
}

TEST(Stop, FinishesWhatIsInFlightAndSaysSoInReadyz) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\nlimits:\n"
      "  - {name: q, key: global, algorithm: leaky_bucket, rate: 5/s, queue: 5, hold: 1s}\n");
  HttpClient held(weir.port()), probe(weir.port());
  ASSERT_EQ(held.ask(auth("GET", "/"))->status, 200);
  ASSERT_EQ(probe.ask(request("GET", "/readyz"))->status, 200);
  ASSERT_TRUE(held.send(auth("GET", "/")));  // 200 ms behind the first
  ASSERT_TRUE(probe.send("GET /readyz HTTP/1.1\r\nHost: w"));
  std::jthread stop([&] { weir.server->stop(); });
  const auto reply = held.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  const auto ready = probe.ask("\r\n\r\n");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, 503);
  EXPECT_EQ(ready->field("Connection"), "close");
  held.end_sending();
  probe.end_sending();
  stop.join();
  EXPECT_FALSE(HttpClient(weir.port()).connected());
}

}  // namespace
}  // namespace weir::serve
