// The service over a store that answers later: the same answers as over memory, nothing that waits
// for the store, and failure policies where it gives no verdict.
#include "serve/later.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/testing/later_store.h"
#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::auth;
using testing::Fields;
using testing::HttpClient;
using testing::LaterStore;
using testing::Reply;
using testing::request;
using testing::TestServer;

constexpr std::string_view kPolicy = R"(version: 1
instances: 2
tiers: {free: {public: true}, pro: {label: Pro}}
listeners: {trusted_proxies: [127.0.0.0/8]}
classes:
  - {name: search, match: [/search], cost: {requests: 2}}
  - {name: login, match: [/login]}
  - {name: queue, match: [/queue]}
limits:
  - {name: plan, key: [client], except: [login, queue], tiers: {free: {rate: 5/min}, pro: {rate: 50/min}}}
  - {name: guess, classes: [login], key: [ip], algorithm: sliding_log, limit: 2, window: 1m, on_store_failure: closed}
  - {name: share, classes: [search], key: global, algorithm: fixed_window, limit: 8, window: 1m, on_store_failure: local}
  - {name: line, classes: [queue], key: global, algorithm: leaky_bucket, rate: 100/s, queue: 3, hold: 100ms}
)";
const std::string kAccounts = testing::account_line("k", "pro", "acme");

class LaterServer : public TestServer {
 public:
  explicit LaterServer(std::string_view policy = kPolicy, const ServeOptions& options = {})
      : TestServer(policy, kAccounts, options, LaterStore::open) {}
  LaterStore& store() { return LaterStore::of(*server); }
};

std::vector<std::string> conversation() {
  std::vector<std::string> out;
  for (int i = 0; i < 7; ++i) {
    out.push_back(auth("GET", "/x"));
    out.push_back(auth("GET", "/search", {{"X-Api-Key", "k"}}));
    out.push_back(auth("POST", "/login", {{"X-Forwarded-For", "203.0.113.7"}}));
  }
  out.push_back(
      request("GET", "/v1/auth/nginx", {{"X-Original-Method", "GET"}, {"X-Original-URI", "/x"}}));
  out.push_back(request("POST", "/v1/auth/envoy/login", {{"X-Forwarded-For", "203.0.113.7"}}));
  out.push_back(request("GET", "/v1/auth"));
  out.push_back(request("GET", "/v1/usage", {{"X-Api-Key", "k"}}));
  out.push_back(request("GET", "/v1/usage"));
  for (const char* body :
       {R"({"method":"GET","path":"/search","client_ip":"203.0.113.9","cost":3})",
        R"({"method":"GET","path":"/x","headers":{"X-Api-Key":"k"},"peek":true})",
        R"({"method":"GET","path":"/queue"})", R"({"method":"GET"})"}) {
    out.push_back(request("POST", "/v1/check", {}, body));
  }
  return out;
}

std::string text_of(const Reply& reply) {
  std::string out = std::to_string(reply.status) + "\n";
  for (const auto& [name, value] : reply.fields) {
    if (name != "Date") out.append(name).append(": ").append(value).append("\n");
  }
  return out + reply.body;
}

TEST(LaterAnswers, AreThoseOfTheMemoryStore) {
  TestServer memory(kPolicy, kAccounts);
  LaterServer later;
  for (const std::string& ask : conversation()) {
    EXPECT_EQ(text_of(later.ask(ask)), text_of(memory.ask(ask))) << ask;
    memory.clock.advance(milliseconds(100));
    later.clock.advance(milliseconds(100));
  }
}

TEST(LaterAnswers, KeepTheOrderOfAPipeline) {
  TestServer memory(kPolicy, kAccounts);
  LaterServer later;
  std::string all;
  for (const std::string& ask : conversation()) all += ask;
  HttpClient one(memory.port()), other(later.port());
  ASSERT_TRUE(one.send(all));
  ASSERT_TRUE(other.send(all));
  for (std::size_t i = 0; i < conversation().size(); ++i) {
    const auto expected = one.read();
    const auto reply = other.read();
    ASSERT_TRUE(expected && reply);
    EXPECT_EQ(text_of(*reply), text_of(*expected)) << i;
  }
}

TEST(LaterAnswers, AreHeldAsTheQueueSays) {
  LaterServer weir;
  HttpClient client(weir.port());
  ASSERT_TRUE(client.ask(auth("GET", "/queue")));
  const auto begin = std::chrono::steady_clock::now();
  const auto reply = client.ask(auth("GET", "/queue"));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(10));
}

TEST(LaterAnswers, KeepNobodyElseWaiting) {
  ServeOptions options;
  options.threads = 1;
  LaterServer weir(kPolicy, options);
  weir.store().pause();
  HttpClient slow(weir.port()), asks(weir.port()), other(weir.port());
  ASSERT_TRUE(slow.send(auth("GET", "/x")));
  ASSERT_TRUE(asks.send(request("GET", "/v1/usage")));
  weir.store().wait_for(2);
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(other.ask(request("GET", path))->status, 200);
    EXPECT_EQ(weir.ask_admin(request("GET", path)).status, 200);
  }
  EXPECT_EQ(weir.ask_admin(request("GET", "/metrics")).status, 200);
  EXPECT_EQ(other.ask(request("GET", "/v1/auth"))->status, 400);
  weir.store().resume();
  EXPECT_EQ(slow.read()->status, 200);
  EXPECT_EQ(asks.read()->status, 200);
}

TEST(LaterAnswers, LetNoMoreThroughThanTheLimit) {
  LaterServer weir(
      "version: 1\ntiers: {free: {}, pro: {}}\nlimits: [{name: all, key: global, algorithm: "
      "fixed_window, limit: 150, window: "
      "1h}]\n");
  constexpr int kClients = 30;
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<HttpClient>(weir.port()));
    std::string ten;
    for (int k = 0; k < 10; ++k) ten += auth("GET", "/x");
    ASSERT_TRUE(clients.back()->send(ten));
  }
  int admitted = 0;
  for (const auto& client : clients) {
    for (int k = 0; k < 10; ++k) admitted += client->read()->status == 200;
  }
  EXPECT_EQ(admitted, 150);
}

TEST(Degraded, AdmitsWhereThePolicyIsOpen) {
  LaterServer weir;
  weir.store().fail(true);
  for (int i = 0; i < 20; ++i) {
    const Reply reply = weir.ask(auth("GET", "/x"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.field("Weir-Degraded"), "store");
    EXPECT_FALSE(reply.field("RateLimit"));
  }
  const auto verdict = weir.check(R"({"method":"GET","path":"/x"})");
  EXPECT_EQ(verdict.at("admit"), true);
  EXPECT_EQ(verdict.at("degraded"), true);
  weir.store().fail(false);
  const Reply reply = weir.ask(auth("GET", "/x"));
  EXPECT_FALSE(reply.field("Weir-Degraded"));
  EXPECT_TRUE(reply.field("RateLimit"));
}

TEST(Degraded, DeniesWith503WhereThePolicyIsClosed) {
  LaterServer weir;
  weir.store().fail(true);
  const Reply reply = weir.ask(auth("POST", "/login"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Weir-Degraded"), "store");
  EXPECT_TRUE(reply.field("Retry-After"));
  EXPECT_NE(reply.body.find("temporary-reduced-capacity"), std::string::npos) << reply.body;
  EXPECT_EQ(weir.check(R"({"method":"GET","path":"/login"})").at("status"), 503);
}

// 8 a minute for 2 instances: 4 here, at 2 a request.
TEST(Degraded, CountsTheShareOfThisInstanceWhereThePolicyIsLocal) {
  LaterServer weir;
  weir.store().fail(true);
  std::vector<int> statuses;
  for (int i = 0; i < 3; ++i) statuses.push_back(weir.ask(auth("GET", "/search")).status);
  EXPECT_EQ(statuses, (std::vector<int>{200, 200, 429}));
}

// C52: it is up and decides while the store has never been there.
TEST(Degraded, IsReadyWithoutAStore) {
  LaterServer weir;
  weir.store().fail(true);
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(weir.ask(request("GET", path)).status, 200);
    EXPECT_EQ(weir.ask_admin(request("GET", path)).status, 200);
  }
}

TEST(Degraded, KnowsNoUsage) {
  LaterServer weir;
  weir.store().fail(true);
  const Reply reply = weir.ask(request("GET", "/v1/usage"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Content-Type"), "application/problem+json");
  EXPECT_EQ(reply.field("Weir-Degraded"), "store");
  EXPECT_EQ(reply.field("Retry-After"), "1");
}

TEST(Degraded, IsCountedByPolicy) {
  LaterServer weir;
  weir.store().fail(true);
  weir.ask(auth("GET", "/x"));
  weir.ask(auth("GET", "/x"));
  weir.ask(auth("GET", "/search"));  // plan is open, share is local
  weir.ask(auth("GET", "/login"));
  const std::string text = weir.ask_admin(request("GET", "/metrics")).body;
  for (const char* line : {"weir_decisions_degraded_total 4\n",
                           "weir_failure_policy_verdicts_total{policy=\"open\"} 3\n",
                           "weir_failure_policy_verdicts_total{policy=\"closed\"} 1\n",
                           "weir_failure_policy_verdicts_total{policy=\"local\"} 1\n",
                           ("weir_decisions_total{limit=\"guess\",tier=\"free\",verdict=\"deny\","
                            "reason=\"store_failure\"} 1\n")}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

class LaterLogTest : public ::testing::Test {
 protected:
  ~LaterLogTest() override { std::remove(path_.c_str()); }
  std::string log() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string path_ =
      ::testing::TempDir() + "weir_later_" + std::to_string(::getpid()) + ".ndjson";
};

// All but the keys, which are hashed with each store's own secret.
std::string without_keys(std::string text) {
  for (std::size_t at = text.find("\"key\":\""); at != std::string::npos;
       at = text.find("\"key\":\"", at + 8)) {
    text.replace(at, 7 + 32 + 1, "\"key\":0");
  }
  return text;
}

TEST_F(LaterLogTest, SaysWhatItSaysOfTheMemoryStore) {
  ServeOptions options;
  options.decision_log = path_;
  const auto run = [&](decide::Engine::OpenStore open) {
    std::remove(path_.c_str());
    TestServer weir(kPolicy, kAccounts, options, open);
    for (const std::string& ask : conversation()) weir.ask(ask);
    weir.server->stop();
    return without_keys(log());
  };
  const std::string memory = run(decide::Engine::open_memory);
  EXPECT_NE(memory.find("203.0.113.7"), std::string::npos);
  EXPECT_EQ(run(LaterStore::open), memory);
}

TEST_F(LaterLogTest, HasADecisionWhoseClientWentAway) {
  ServeOptions options;
  options.decision_log = path_;
  LaterServer weir(kPolicy, options);
  weir.store().pause();
  {
    HttpClient client(weir.port());
    ASSERT_TRUE(client.send(auth("GET", "/x")));
    weir.store().wait_for(1);
  }
  weir.store().resume();
  weir.server->stop();
  const std::string text = log();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(LaterAnswers, AreThoseOfThePolicyTheyBeganWith) {
  LaterServer weir;
  weir.store().pause();
  HttpClient client(weir.port());
  ASSERT_TRUE(client.send(auth("GET", "/x")));
  weir.store().wait_for(1);
  ASSERT_TRUE(
      weir.server->engine()
          .reload_text("version: 1\ntiers: {free: {}, pro: {}}\nlimits: [{name: fresh, key: [ip], "
                       "rate: 1/min}]\n")
          .adopted);
  weir.store().resume();
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_NE(reply->field("RateLimit")->find("plan"), std::string::npos);
  EXPECT_NE(client.ask(auth("GET", "/x"))->field("RateLimit")->find("fresh"), std::string::npos);
}

TEST(LaterAnswers, AreWaitedForByAStop) {
  LaterServer weir;
  weir.store().pause();
  HttpClient client(weir.port()), idle(weir.port());
  ASSERT_TRUE(idle.ask(request("GET", "/healthz")));
  ASSERT_TRUE(client.send(auth("GET", "/x")));
  weir.store().wait_for(1);
  std::jthread stop([&] { weir.server->stop(); });
  EXPECT_TRUE(idle.closed());  // so the stop has begun
  weir.store().resume();
  const auto reply = client.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_TRUE(client.closed());
}

TEST(LaterAnswers, AreDroppedWhenAStopCanNotWait) {
  ServeOptions options;
  options.drain = std::chrono::milliseconds(20);
  auto weir = std::make_unique<LaterServer>(kPolicy, options);
  weir->store().pause();
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<HttpClient>(weir->port()));
    ASSERT_TRUE(clients.back()->send(i % 2 ? auth("GET", "/x") : request("GET", "/v1/usage")));
  }
  weir->store().wait_for(4 * 1 + 4 * 3);  // a usage looks at three classes: the others show no more
  weir.reset();
  for (const auto& client : clients) EXPECT_TRUE(client->closed());
}

}  // namespace
}  // namespace weir::serve
