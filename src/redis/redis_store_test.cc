// The store with a Redis that works, or that says no.
#include "redis/redis_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "redis/testing/ask.h"
#include "redis/testing/redis_process.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using store::testing::a_day;
using testing::Answer;
using testing::ask;
using testing::Ask;
using testing::RedisClient;
using testing::RedisProcess;
using testing::wait_until;

std::string url_of(int port) { return "redis://127.0.0.1:" + std::to_string(port); }

// Generous, so that a busy machine is no fault; the faults' own tests are strict.
Options options_for(const RedisProcess& server) {
  Options options;
  options.url = url_of(server.port());
  options.timeout = seconds(2);
  return options;
}

std::unique_ptr<RedisStore> open(const Options& options) {
  Result<std::unique_ptr<RedisStore>> store = RedisStore::open(options);
  if (!store) ADD_FAILURE() << store.error().text();
  return store ? std::move(*store) : nullptr;
}

store::Charge charge_of(const algo::Numbers& numbers, std::string_view key,
                        std::uint64_t cost = 1) {
  store::Charge c;
  c.key = base::siphash13_128({1, 2}, key);
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

class RedisStoreTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new RedisProcess; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override { RedisClient(server_->port()).text({"FLUSHALL"}); }

  static RedisProcess* server_;
};
RedisProcess* RedisStoreTest::server_ = nullptr;

TEST_F(RedisStoreTest, AdmitsExactlyTheLimitForEveryAlgorithm) {
  const auto store = open(options_for(*server_));
  EXPECT_FALSE(store->immediate());
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    const algo::Numbers numbers = a_day(algorithm, 10);
    for (std::uint64_t i = 1; i <= 10; ++i) {
      EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::admitted) << i;
    }
    EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::denied);
    EXPECT_EQ(ask(*store, {charge_of(numbers, "other")}), Answer::admitted);
  }
}

TEST_F(RedisStoreTest, TellsTheOutcomesOfEveryRequestOfACall) {
  const auto store = open(options_for(*server_));
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 100);
  std::vector<store::Charge> charges;
  for (int i = 0; i < 200; ++i) charges.push_back(charge_of(numbers, "k"));
  std::vector<store::Request> requests;
  for (const store::Charge& c : charges) requests.push_back({{&c, 1}, false});
  Ask sink;
  store->charge(requests, {}, sink);
  charges.assign(charges.size(), {});  // the store has its own copy
  sink.wait(requests.size());
  EXPECT_EQ(sink.admitted(), 100u);
  EXPECT_EQ(sink.denied(), 100u);
  ASSERT_EQ(sink.outcomes().size(), 1u);
  EXPECT_EQ(sink.outcomes()[0].limit, 100u);
  EXPECT_EQ(sink.outcomes()[0].remaining, 0u);
  EXPECT_GT(sink.last().now.steady.ns, 1'600'000'000'000'000'000u);  // since 1970
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(sink.requests()[i], i);
  // Many requests to a command.
  EXPECT_LE(store->health().batches, 4u);
  EXPECT_EQ(store->health().answered, 200u);
}

TEST_F(RedisStoreTest, ARequestStandsOrFallsAsAWhole) {
  const auto store = open(options_for(*server_));
  const algo::Numbers three = a_day(Algorithm::token_bucket, 3);
  const algo::Numbers five = a_day(Algorithm::sliding_log, 5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(*store, {charge_of(three, "a"), charge_of(five, "b")}), Answer::admitted);
  }
  EXPECT_EQ(ask(*store, {charge_of(three, "a"), charge_of(five, "b")}), Answer::denied);
  EXPECT_EQ(store->inspect(charge_of(five, "b"), {}).now.remaining, 2u);
}

TEST_F(RedisStoreTest, PeekInspectRefundAndReset) {
  const auto store = open(options_for(*server_));
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    const algo::Numbers numbers = a_day(algorithm, 10);
    const store::Charge c = charge_of(numbers, "p", 4);
    EXPECT_FALSE(store->inspect(c, {}).live);
    EXPECT_EQ(ask(*store, {c}, true), Answer::admitted);
    EXPECT_FALSE(store->inspect(c, {}).live);
    EXPECT_EQ(ask(*store, {c}), Answer::admitted);
    const store::Inspection seen = store->inspect(c, {});
    EXPECT_TRUE(seen.live);
    EXPECT_EQ(seen.now.remaining, 6u);
    EXPECT_GT(seen.ttl.ns, 0u);
    store->refund({&c, 1}, {});
    EXPECT_TRUE(wait_until([&] { return store->inspect(c, {}).now.remaining == 10; }));
    EXPECT_EQ(ask(*store, {c}), Answer::admitted);
    EXPECT_TRUE(store->reset(0, c.key));
    EXPECT_FALSE(store->reset(0, c.key));
    EXPECT_EQ(store->inspect(c, {}).now.remaining, 10u);
  }
}

TEST_F(RedisStoreTest, ARequestThatChargesNothingIsAdmitted) {
  const auto store = open(options_for(*server_));
  EXPECT_EQ(ask(*store, {}), Answer::admitted);
}

TEST_F(RedisStoreTest, NumbersThatRedisCannotCountFail) {
  const auto store = open(options_for(*server_));
  const auto numbers =
      algo::make_window(Algorithm::fixed_window, 5, nanoseconds(1'500), Align::epoch);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(ask(*store, {charge_of(*numbers, "k")}), Answer::failed);
  EXPECT_EQ(store->health().failures(Failure::other_error), 1u);
}

TEST_F(RedisStoreTest, ThreadsShareALimitExactly) {
  const auto one = open(options_for(*server_));
  const auto two = open(options_for(*server_));  // as if of another process
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 1'000);
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> admitted{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      store::Store& store = t % 2 == 0 ? *one : *two;
      const store::Charge c = charge_of(numbers, "shared");
      std::vector<store::Request> requests(50, store::Request{{&c, 1}, false});
      for (int i = 0; i < 5; ++i) {
        Ask sink;
        store.charge(requests, {}, sink);
        sink.wait(requests.size());
        EXPECT_EQ(sink.failed(), 0u);
        admitted += sink.admitted();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(admitted, 1'000u);
}

TEST_F(RedisStoreTest, UsesAtMostSoManySocketsAndNamesThem) {
  Options options = options_for(*server_);
  options.connections = 3;
  const auto store = open(options);
  ASSERT_TRUE(wait_until([&] { return store->health().connected == 3; }));
  RedisClient client(server_->port());
  std::string list = client.text({"CLIENT", "LIST"});
  int named = 0;
  for (std::size_t at = 0; (at = list.find("name=weir ", at)) != std::string::npos; ++at) ++named;
  EXPECT_EQ(named, 3);
}

TEST_F(RedisStoreTest, KeysCarryThePrefixAndATimeToLiveInTheDatabaseOfTheUrl) {
  Options options = options_for(*server_);
  options.url += "/5";
  options.prefix = "acme";
  const auto store = open(options);
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 10);
  ASSERT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::admitted);
  RedisClient client(server_->port());
  EXPECT_EQ(client.text({"DBSIZE"}), "0");
  client.text({"SELECT", "5"});
  const testing::Reply keys = client.command({"KEYS", "*"});
  ASSERT_EQ(keys->elements, 1u);
  const std::string key = keys->element[0]->str;
  EXPECT_TRUE(key.starts_with("acme:2:{")) << key;
  EXPECT_GT(client.integer({"PTTL", key}), 0);
}

TEST_F(RedisStoreTest, AScriptCacheThatIsEmptiedUnderLoadCostsNoRequest) {
  const auto store = open(options_for(*server_));
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000'000);
  std::atomic<bool> stop{false};
  std::thread flusher([&] {
    RedisClient client(server_->port());
    while (!stop) {
      client.text({"SCRIPT", "FLUSH"});
      ::poll(nullptr, 0, 2);
    }
  });
  std::uint64_t admitted = 0;
  std::uint64_t failed = 0;
  const store::Charge c = charge_of(numbers, "flushed");
  const std::vector<store::Request> requests(10, store::Request{{&c, 1}, false});
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < until) {
    Ask sink;
    store->charge(requests, {}, sink);
    sink.wait(requests.size());
    admitted += sink.admitted();
    failed += sink.failed();
  }
  stop = true;
  flusher.join();
  EXPECT_GT(store->health().resent, 3u);
  // A second flush may come between the script and the batch behind it: that one failed, unrun.
  EXPECT_EQ(failed, store->health().failures(Failure::noscript));
  EXPECT_LT(failed, admitted / 10);
  EXPECT_EQ(1'000'000 - store->inspect(c, {}).now.remaining, admitted);
}

TEST_F(RedisStoreTest, BeyondTheMostThatMayWaitARequestFailsAtOnce) {
  Options options = options_for(*server_);
  options.max_waiting = 10;
  const auto store = open(options);
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000);
  const store::Charge c = charge_of(numbers, "k");
  const std::vector<store::Request> requests(25, store::Request{{&c, 1}, false});
  Ask sink;
  store->charge(requests, {}, sink);
  sink.wait(25);
  EXPECT_EQ(sink.admitted(), 10u);
  EXPECT_EQ(sink.failed(), 15u);
  EXPECT_EQ(store->health().failures(Failure::queue_full), 15u);
  EXPECT_TRUE(wait_until([&] { return store->health().waiting == 0; }));
  EXPECT_EQ(ask(*store, {c}), Answer::admitted);
}

TEST_F(RedisStoreTest, WhatStillWaitsWhenItIsDestroyedIsToldSo) {
  RedisProcess stopped;
  auto store = open(options_for(stopped));
  ASSERT_TRUE(wait_until([&] { return store->health().connected == 4; }));
  ::kill(stopped.pid(), SIGSTOP);
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000);
  const store::Charge c = charge_of(numbers, "k");
  const std::vector<store::Request> requests(500, store::Request{{&c, 1}, false});
  Ask sink;
  store->charge(requests, {}, sink);
  store.reset();
  EXPECT_EQ(sink.verdicts(), 500u);
  EXPECT_EQ(sink.failed(), 500u);
}

// ---- who may come in

TEST_F(RedisStoreTest, APasswordIsRightOrWrong) {
  RedisProcess server({"--requirepass", "s3cret"});
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 10);
  Options options = options_for(server);
  options.password = "s3cret";
  EXPECT_EQ(ask(*open(options), {charge_of(numbers, "k")}), Answer::admitted);

  Options by_url = options_for(server);
  by_url.url = "redis://:s3cret@127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(ask(*open(by_url), {charge_of(numbers, "k")}), Answer::admitted);

  options.password = "wrong";
  const auto wrong = open(options);
  EXPECT_EQ(ask(*wrong, {charge_of(numbers, "k")}), Answer::failed);
  EXPECT_TRUE(
      wait_until([&] { return wrong->health().connection_failures(Failure::wrongpass) > 0; }));
  EXPECT_NE(wrong->health().last_error.find("wrongpass: WRONGPASS"), std::string::npos);

  const auto none = open(options_for(server));
  EXPECT_EQ(ask(*none, {charge_of(numbers, "k")}), Answer::failed);
  EXPECT_TRUE(wait_until([&] { return none->health().connection_failures(Failure::noauth) > 0; }));
}

TEST_F(RedisStoreTest, AnAclUserNeedsWhatTheScriptDoesAndNoMore) {
  RedisProcess server;
  RedisClient client(server.port());
  ASSERT_EQ(client.text({"ACL", "SETUSER", "weir", "on", ">pw", "resetkeys", "~weir:*",
                         "nocommands", "+evalsha", "+script|load", "+time", "+mget", "+set", "+del",
                         "+getrange", "+setrange", "+pexpire"}),
            "OK");
  Options options = options_for(server);
  options.username = "weir";
  options.password = "pw";
  const auto store = open(options);
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    const algo::Numbers numbers = a_day(algorithm, 2);
    EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::admitted) << name(algorithm);
    EXPECT_EQ(ask(*store, {charge_of(numbers, "k", 2)}), Answer::denied) << name(algorithm);
  }
  // Keys of others are not its own.
  options.prefix = "acme";
  const auto other = open(options);
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 2);
  EXPECT_EQ(ask(*other, {charge_of(numbers, "k")}), Answer::failed);
  EXPECT_GE(other->health().failures(Failure::noperm), 1u);
}

TEST_F(RedisStoreTest, AUserWhoMayNotRunTheScriptIsToldSo) {
  RedisProcess server;
  RedisClient client(server.port());
  client.text({"ACL", "SETUSER", "weir", "on", ">pw", "~*", "nocommands", "+ping"});
  Options options = options_for(server);
  options.username = "weir";
  options.password = "pw";
  const auto store = open(options);
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 2);
  EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::failed);
  EXPECT_EQ(store->health().failures(Failure::noperm), 1u);
}

// What could not be read is not empty: that would admit for ever.
TEST_F(RedisStoreTest, ALogThatMayNotBeReadAdmitsNothing) {
  RedisProcess server;
  RedisClient client(server.port());
  client.text({"ACL", "SETUSER", "weir", "on", ">pw", "~*", "+@all", "-getrange"});
  Options options = options_for(server);
  options.username = "weir";
  options.password = "pw";
  const auto store = open(options);
  const algo::Numbers numbers = a_day(Algorithm::sliding_log, 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::failed);
  }
}

TEST_F(RedisStoreTest, ADatabaseThatIsNotThereIsNamed) {
  Options options = options_for(*server_);
  options.url += "/999";
  const auto store = open(options);
  EXPECT_TRUE(
      wait_until([&] { return store->health().connection_failures(Failure::nodatabase) > 0; }));
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 2);
  EXPECT_EQ(ask(*store, {charge_of(numbers, "k")}), Answer::failed);
}

// ---- what open refuses

TEST(RedisStoreOptions, AreCheckedBeforeAnythingStarts) {
  Options good;
  good.url = "redis://127.0.0.1:1";
  const auto where = [&](auto change) {
    Options options = good;
    change(options);
    const auto store = RedisStore::open(options);
    return store ? std::string("accepted") : store.error().where;
  };
  EXPECT_EQ(where([](Options&) {}), "accepted");
  EXPECT_EQ(where([](Options& o) { o.url = "memory"; }), "store.url");
  EXPECT_EQ(where([](Options& o) { o.url = "redis+cluster://a/7"; }), "store.url");
  EXPECT_EQ(where([](Options& o) { o.timeout = {}; }), "store.timeout");
  EXPECT_EQ(where([](Options& o) { o.timeout = minutes(2); }), "store.timeout");
  EXPECT_EQ(where([](Options& o) { o.connections = 0; }), "store.connections");
  EXPECT_EQ(where([](Options& o) { o.connections = 65; }), "store.connections");
  EXPECT_EQ(where([](Options& o) { o.prefix = ""; }), "store.prefix");
  EXPECT_EQ(where([](Options& o) { o.prefix = "a{b}"; }), "store.prefix");
  EXPECT_EQ(where([](Options& o) { o.prefix = "a b"; }), "store.prefix");
  EXPECT_EQ(where([](Options& o) { o.prefix = std::string(65, 'a'); }), "store.prefix");
  EXPECT_EQ(where([](Options& o) { o.breaker.errors = 0; }), "store.breaker.errors");
  EXPECT_EQ(where([](Options& o) { o.breaker.window = {}; }), "store.breaker.window");
  EXPECT_EQ(where([](Options& o) { o.breaker.retry = {}; }), "store.breaker.retry");
  EXPECT_EQ(where([](Options& o) { o.tls_ca = "/ca.pem"; }), "store.tls");
  const auto tls = [&](auto change) {
    return where([&](Options& o) {
      o.url = "rediss://127.0.0.1:1";
      change(o);
    });
  };
  EXPECT_EQ(tls([](Options&) {}), "accepted");
  EXPECT_EQ(tls([](Options& o) { o.tls_cert = "/c.pem"; }), "store.tls");
  EXPECT_EQ(tls([](Options& o) { o.tls_key = "/k.pem"; }), "store.tls");
  EXPECT_EQ(tls([](Options& o) { o.tls_ca = "/no/such/ca.pem"; }), "store.tls.ca");
  EXPECT_EQ(tls([](Options& o) {
              o.tls_cert = "/no/such/c.pem";
              o.tls_key = "/no/such/k.pem";
            }),
            "store.tls.cert");
}

}  // namespace
}  // namespace weir::redis
