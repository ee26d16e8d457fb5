// The store on a real cluster: slots, requests over several of them, moves, and nodes that go.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "redis/key_name.h"
#include "redis/redis_store.h"
#include "redis/testing/ask.h"
#include "redis/testing/redis_cluster.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using store::testing::a_day;
using testing::Answer;
using testing::ask;
using testing::Ask;
using testing::RedisClient;
using testing::RedisCluster;
using testing::wait_until;

constexpr std::size_t kNodes = 3;

store::Charge charge_of(const algo::Numbers& numbers, std::uint64_t key, std::uint32_t tag = 0,
                        std::uint64_t cost = 1) {
  store::Charge c;
  c.key = base::siphash13_128({1, 2}, std::to_string(key) + "/" + std::to_string(tag));
  c.tag = tag;
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

class RedisClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new RedisCluster(kNodes); }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override { cluster_->flush(); }

  // A store that has found all nodes.
  static std::unique_ptr<RedisStore> open(Duration timeout = seconds(2)) {
    Options options;
    options.url = cluster_->url();
    options.timeout = timeout;
    auto store = RedisStore::open(options);
    if (!store) ADD_FAILURE() << store.error().text();
    EXPECT_TRUE(wait_until([&] {
      const Health h = (*store)->health();
      return h.servers == kNodes && h.ready == kNodes;
    }));
    return std::move(*store);
  }
  // A charge of a counter that node `node` keeps.
  static store::Charge on_node(std::size_t node, const algo::Numbers& numbers,
                               std::uint64_t cost = 1) {
    for (std::uint32_t tag = 1;; ++tag) {
      const store::Charge c = charge_of(numbers, 0, tag, cost);
      if (cluster_->keeper(slot_of(c)) == node) return c;
    }
  }
  static std::uint64_t remaining(RedisStore& store, const store::Charge& c) {
    return store.inspect(c, {}).now.remaining;
  }
  // Refunds are not awaited.
  static bool comes_to(RedisStore& store, const store::Charge& c, std::uint64_t left) {
    return wait_until([&] { return remaining(store, c) == left; });
  }

  static RedisCluster* cluster_;
};
RedisCluster* RedisClusterTest::cluster_ = nullptr;

TEST_F(RedisClusterTest, AdmitsExactlyTheLimitOnEveryNode) {
  const auto store = open();
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    const algo::Numbers numbers = a_day(algorithm, 5);
    for (std::uint32_t tag = 1; tag <= 30; ++tag) {
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(ask(*store, {charge_of(numbers, 1, tag)}), Answer::admitted);
      }
      ASSERT_EQ(ask(*store, {charge_of(numbers, 1, tag)}), Answer::denied);
    }
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    EXPECT_GT(cluster_->client(i).integer({"DBSIZE"}), 0) << i;
  }
  EXPECT_EQ(store->health().redirected, 0u);
}

TEST_F(RedisClusterTest, DecidesTheLimitsOfOneIdentityInOneCall) {
  const auto store = open();
  const algo::Numbers three = a_day(Algorithm::fixed_window, 3);
  const algo::Numbers nine = a_day(Algorithm::token_bucket, 9);
  const std::uint64_t before = store->health().batches;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(*store, {charge_of(three, 1, 77), charge_of(nine, 2, 77)}),
              i < 3 ? Answer::admitted : Answer::denied);
  }
  EXPECT_LE(store->health().batches, before + 5);  // one more: the script was not known
  EXPECT_EQ(store->health().refunded, 0u);
  EXPECT_EQ(remaining(*store, charge_of(nine, 2, 77)), 6u);
}

TEST_F(RedisClusterTest, ADenialElsewhereGivesBackWhatWasCharged) {
  const auto store = open();
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    cluster_->flush();
    const algo::Numbers ten = a_day(algorithm, 10);
    const algo::Numbers two = a_day(algorithm, 2);
    const store::Charge tenant = on_node(0, ten);
    const store::Charge vendor = on_node(1, two);
    const store::Charge last = on_node(2, ten);
    EXPECT_EQ(ask(*store, {tenant, vendor, last}), Answer::admitted);
    EXPECT_EQ(ask(*store, {tenant, vendor, last}), Answer::admitted);
    const std::uint64_t left = remaining(*store, tenant);
    Ask sink;
    const std::vector<store::Charge> charges{tenant, vendor, last};
    const store::Request request{charges, false};
    store->charge({&request, 1}, {}, sink);
    sink.wait(1);
    EXPECT_EQ(sink.denied(), 1u);
    EXPECT_EQ(sink.last().unasked, 0b100u);
    ASSERT_EQ(sink.outcomes().size(), 3u);
    EXPECT_TRUE(sink.outcomes()[0].admit);
    EXPECT_EQ(sink.outcomes()[0].remaining, left);  // as it was
    EXPECT_FALSE(sink.outcomes()[1].admit);
    EXPECT_TRUE(comes_to(*store, tenant, left));
    EXPECT_EQ(remaining(*store, last), left);
  }
}

// In the order in which they were given, wherever they lie.
TEST_F(RedisClusterTest, TellsTheOutcomesInTheirOrder) {
  const auto store = open();
  const algo::Numbers a = a_day(Algorithm::fixed_window, 10);
  const algo::Numbers b = a_day(Algorithm::fixed_window, 20);
  const algo::Numbers c = a_day(Algorithm::fixed_window, 30);
  const store::Charge first = on_node(0, a);
  const store::Charge second = on_node(1, b);
  store::Charge third = charge_of(c, 9, first.tag);
  for (const bool peek : {true, false}) {
    Ask sink;
    const std::vector<store::Charge> charges{first, second, third};
    const store::Request request{charges, peek};
    store->charge({&request, 1}, {}, sink);
    sink.wait(1);
    ASSERT_EQ(sink.outcomes().size(), 3u);
    EXPECT_EQ(sink.last().unasked, 0u);
    EXPECT_EQ(sink.outcomes()[0].remaining, peek ? 10u : 9u);
    EXPECT_EQ(sink.outcomes()[1].remaining, peek ? 20u : 19u);
    EXPECT_EQ(sink.outcomes()[2].remaining, peek ? 30u : 29u);
  }
}

TEST_F(RedisClusterTest, APeekAsksAllAndChargesNothing) {
  const auto store = open();
  const algo::Numbers one = a_day(Algorithm::fixed_window, 1);
  const store::Charge a = on_node(0, one);
  const store::Charge b = on_node(1, one);
  EXPECT_EQ(ask(*store, {a}), Answer::admitted);
  Ask sink;
  const std::vector<store::Charge> charges{a, b};
  const store::Request request{charges, true};
  store->charge({&request, 1}, {}, sink);
  sink.wait(1);
  EXPECT_EQ(sink.denied(), 1u);
  EXPECT_EQ(sink.last().unasked, 0u);
  EXPECT_EQ(sink.outcomes()[1].remaining, 1u);
  EXPECT_EQ(remaining(*store, b), 1u);
  EXPECT_EQ(store->health().refunded, 0u);
}

TEST_F(RedisClusterTest, AShadowIsChargedWhereTheRequestIsAdmitted) {
  const auto store = open();
  const algo::Numbers two = a_day(Algorithm::fixed_window, 2);
  const algo::Numbers ten = a_day(Algorithm::fixed_window, 10);
  store::Charge first = on_node(0, ten);
  first.shadow = true;
  const store::Charge enforced = on_node(1, two);
  store::Charge beside = charge_of(ten, 5, enforced.tag);
  beside.shadow = true;
  const store::Charge other = on_node(2, two);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask(*store, {first, enforced, beside, other}), Answer::admitted);
  }
  EXPECT_EQ(ask(*store, {other}), Answer::denied);
  EXPECT_EQ(ask(*store, {first, enforced, beside, other}), Answer::denied);
  EXPECT_EQ(remaining(*store, first), 8u);
  EXPECT_EQ(remaining(*store, beside), 8u);
  EXPECT_EQ(remaining(*store, enforced), 0u);
  // Denied by the last one: what the shadow beside an enforced limit was charged comes back.
  const algo::Numbers three = a_day(Algorithm::fixed_window, 3);
  const store::Charge more = on_node(1, three);
  EXPECT_EQ(ask(*store, {first, more, beside, other}), Answer::denied);
  EXPECT_TRUE(comes_to(*store, beside, 8));
  EXPECT_TRUE(comes_to(*store, more, 1));
}

// Tenants under one global limit, from many threads: exactly the global limit is admitted, and in
// the end each tenant was charged for what it was admitted.
TEST_F(RedisClusterTest, ManyThreadsUnderOneGlobalLimit) {
  constexpr std::uint64_t kLimit = 300;
  constexpr int kThreads = 64;
  constexpr int kEach = 20;
  constexpr std::uint64_t kTenants = 7;
  const auto store = open(seconds(10));
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    cluster_->flush();
    const algo::Numbers global = a_day(algorithm, kLimit);
    const algo::Numbers tenant = a_day(algorithm, 2'000);
    std::vector<std::atomic<std::uint64_t>> admitted(kTenants);
    std::atomic<std::uint64_t> failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const auto who = static_cast<std::uint32_t>(t + i) % kTenants;
          const Answer answer = ask(
              *store,
              {charge_of(tenant, 1, static_cast<std::uint32_t>(who) + 1), charge_of(global, 2)});
          if (answer == Answer::admitted) ++admitted[who];
          if (answer == Answer::failed) ++failed;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::uint64_t sum = 0;
    for (const auto& n : admitted) sum += n;
    // leaky_bucket: the one in service and a queue.
    EXPECT_EQ(sum, store->inspect(charge_of(global, 2), {}).now.limit);
    EXPECT_EQ(failed, 0u);
    for (std::uint32_t who = 0; who < kTenants; ++who) {
      const store::Charge c = charge_of(tenant, 1, who + 1);
      const std::uint64_t limit = store->inspect(c, {}).now.limit;
      EXPECT_TRUE(comes_to(*store, c, limit - admitted[who]))
          << who << ": " << remaining(*store, c) << " of " << limit << " after " << admitted[who];
    }
  }
  EXPECT_EQ(store->health().refunds_lost, 0u);
}

TEST_F(RedisClusterTest, FollowsASlotThatMoves) {
  const auto store = open();
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000);
  const store::Charge c = on_node(0, numbers);
  const std::uint16_t slot = slot_of(c);
  std::uint64_t charged = 0;
  const auto charge = [&] {
    EXPECT_EQ(ask(*store, {c}), Answer::admitted);
    EXPECT_EQ(remaining(*store, c), 1'000 - ++charged);
  };
  charge();
  cluster_->begin_move(slot, 0, 1);
  charge();  // still here
  cluster_->move_keys(slot, 0, 1);
  charge();  // ASK
  charge();
  EXPECT_GT(store->health().redirected, 0u);
  cluster_->end_move(slot, 1);
  charge();  // MOVED
  const std::uint64_t redirected = store->health().redirected;
  charge();  // known
  EXPECT_EQ(store->health().redirected, redirected);
  EXPECT_EQ(store->health().failures(Failure::moved), 0u);
  cluster_->begin_move(slot, 1, 0);
  cluster_->move_keys(slot, 1, 0);
  cluster_->end_move(slot, 0);
  charge();
}

// A counter that is not there yet is asked of the node to which its slot is on the way, and its
// script is not known there.
TEST_F(RedisClusterTest, ANewCounterOfASlotOnItsWayIsExactToo) {
  const auto store = open();
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 3);
  const store::Charge c = on_node(1, numbers);
  cluster_->begin_move(slot_of(c), 1, 2);
  cluster_->client(2).text({"SCRIPT", "FLUSH"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(*store, {c}), Answer::admitted) << i;
  EXPECT_EQ(ask(*store, {c}), Answer::denied);
  EXPECT_EQ(cluster_->client(1).integer({"DBSIZE"}), 0);
  cluster_->end_move(slot_of(c), 2);
  EXPECT_EQ(ask(*store, {c}), Answer::denied);
  cluster_->begin_move(slot_of(c), 2, 1);
  cluster_->move_keys(slot_of(c), 2, 1);
  cluster_->end_move(slot_of(c), 1);
}

// Two counters of one request on both sides of a move: it waits, within its deadline.
TEST_F(RedisClusterTest, WaitsAMomentWhereKeysAreOnBothSides) {
  const auto store = open(milliseconds(300));
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 9);
  const store::Charge there = on_node(0, numbers);
  const store::Charge fresh = charge_of(numbers, 5, there.tag);
  ASSERT_EQ(ask(*store, {there}), Answer::admitted);
  cluster_->begin_move(slot_of(there), 0, 1);
  Ask sink;
  const std::vector<store::Charge> charges{there, fresh};
  const store::Request request{charges, false};
  store->charge({&request, 1}, {}, sink);
  ASSERT_TRUE(wait_until([&] { return store->health().redirected >= 2; }));
  cluster_->move_keys(slot_of(there), 0, 1);
  cluster_->end_move(slot_of(there), 1);
  sink.wait(1);
  EXPECT_EQ(sink.admitted(), 1u);
  EXPECT_EQ(remaining(*store, there), 7u);
  EXPECT_EQ(remaining(*store, fresh), 8u);
  cluster_->begin_move(slot_of(there), 1, 0);
  EXPECT_EQ(ask(*store, {there, charge_of(numbers, 6, there.tag)}), Answer::failed);
  // The deadline found it between two tries, or at one.
  EXPECT_EQ(
      store->health().failures(Failure::tryagain) + store->health().failures(Failure::timeout), 1u);
  EXPECT_EQ(remaining(*store, there), 7u);
  cluster_->move_keys(slot_of(there), 1, 0);
  cluster_->end_move(slot_of(there), 0);
}

TEST_F(RedisClusterTest, AScriptCacheLostOnANodeCostsNoRequest) {
  const auto store = open();
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000'000);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kNodes; ++i) cluster_->client(i).text({"SCRIPT", "FLUSH"});
    for (std::uint32_t tag = 1; tag < 40; ++tag) {
      ASSERT_EQ(ask(*store, {charge_of(numbers, 1, tag), charge_of(numbers, 2)}), Answer::admitted);
    }
  }
  EXPECT_GT(store->health().resent, 0u);
}

TEST_F(RedisClusterTest, FindsTheOthersWhereTheUrlNamesOneNode) {
  Options options;
  options.url = "redis+cluster://127.0.0.1:" + std::to_string(cluster_->node(2).port());
  options.timeout = seconds(2);
  const auto store = RedisStore::open(options);
  ASSERT_TRUE(store);
  EXPECT_TRUE(wait_until([&] { return (*store)->health().ready == kNodes; }));
  EXPECT_LE((*store)->health().connected, kNodes * options.connections);
}

// The rights that docs/redis.md lists are enough, also while a slot moves.
TEST_F(RedisClusterTest, ItsUserNeedsFewRights) {
  const auto each = [](const std::vector<std::string_view>& words) {
    for (std::size_t i = 0; i < kNodes; ++i) {
      EXPECT_EQ(cluster_->client(i).text(words), "OK");
    }
  };
  each({"ACL", "SETUSER", "limiter", "on", ">pw", "~weir:*", "+@connection", "+evalsha", "+eval",
        "+script|load", "+time", "+mget", "+set", "+del", "+pexpire", "+getrange", "+setrange",
        "+cluster|slots"});
  each({"SCRIPT", "FLUSH"});
  Options options;
  options.url = cluster_->url();
  options.username = "limiter";
  options.password = "pw";
  options.timeout = seconds(2);
  const auto store = std::move(*RedisStore::open(options));
  ASSERT_TRUE(wait_until([&] { return store->health().ready == kNodes; }))
      << store->health().last_error;
  for (const Algorithm algorithm : store::testing::kAlgorithms) {
    const algo::Numbers numbers = a_day(algorithm, 10);
    const store::Charge c = on_node(0, numbers);
    EXPECT_EQ(ask(*store, {c, on_node(1, numbers)}), Answer::admitted) << name(algorithm);
    cluster_->begin_move(slot_of(c), 0, 1);
    cluster_->move_keys(slot_of(c), 0, 1);
    EXPECT_EQ(ask(*store, {c}), Answer::admitted) << name(algorithm);
    cluster_->end_move(slot_of(c), 1);
    cluster_->begin_move(slot_of(c), 1, 0);
    cluster_->move_keys(slot_of(c), 1, 0);
    cluster_->end_move(slot_of(c), 0);
  }
}

// Frozen: the reply never comes. The request ends at its deadline, and what it was charged before
// is given back.
TEST_F(RedisClusterTest, ARequestOverSeveralNodesEndsAtItsDeadline) {
  constexpr Duration kTimeout = milliseconds(400);
  const auto store = open(kTimeout);
  const algo::Numbers ten = a_day(Algorithm::fixed_window, 10);
  const store::Charge first = on_node(0, ten);
  const store::Charge second = on_node(1, ten);
  ASSERT_EQ(ask(*store, {first, second}), Answer::admitted);
  ::kill(cluster_->node(1).pid(), SIGSTOP);
  Ask sink;
  const std::vector<store::Charge> charges{first, second};
  const store::Request request{charges, false};
  sink.begin();
  store->charge({&request, 1}, {}, sink);
  sink.wait(1);
  EXPECT_EQ(sink.failed(), 1u);
  EXPECT_LT(sink.slowest(), kTimeout.to_chrono() + std::chrono::milliseconds(150));
  EXPECT_TRUE(comes_to(*store, first, 9));
  ::kill(cluster_->node(1).pid(), SIGCONT);
  // It was charged there, and nobody knows: at most that one cost.
  EXPECT_TRUE(wait_until([&] { return ask(*store, {second}, true) == Answer::admitted; }));
  EXPECT_GE(remaining(*store, second), 8u);
  EXPECT_LE(remaining(*store, second), 9u);
}

// Nobody serves a slot, so the cluster serves none: a reply, not the end of a connection.
TEST_F(RedisClusterTest, AClusterThatIsDownFailsAndComesBack) {
  const auto store = open();
  const algo::Numbers ten = a_day(Algorithm::fixed_window, 10);
  const store::Charge c = on_node(0, ten);
  const std::string slot = std::to_string(slot_of(c) == 0 ? 1 : 0);
  ASSERT_TRUE(
      wait_until([&] { return store->health().connected == kNodes * Options().connections; }));
  const std::uint64_t connects = store->health().connects;
  cluster_->client(0).text({"CLUSTER", "DELSLOTS", slot});
  EXPECT_TRUE(wait_until([&] { return ask(*store, {c}) == Answer::failed; }));
  EXPECT_GT(store->health().failures(Failure::clusterdown), 0u);
  cluster_->client(0).text({"CLUSTER", "ADDSLOTS", slot});
  EXPECT_TRUE(wait_until([&] { return ask(*store, {c}, true) == Answer::admitted; }));
  EXPECT_EQ(store->health().connects, connects);
}

// Counters of other nodes are counted on; nothing of a request that needs the dead one is charged.
TEST(RedisClusterFault, WhatADeadNodeKeptFailsAndNothingElse) {
  RedisCluster cluster(2);
  for (std::size_t i = 0; i < 2; ++i) {
    cluster.client(i).text({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  }
  Options options;
  options.url = cluster.url();
  options.timeout = seconds(1);
  const auto store = std::move(*RedisStore::open(options));
  ASSERT_TRUE(wait_until([&] { return store->health().ready == 2; }));
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000);
  std::vector<store::Charge> on;
  for (std::uint32_t tag = 1; on.size() < 2; ++tag) {
    const store::Charge c = charge_of(numbers, 1, tag);
    if (cluster.keeper(slot_of(c)) == on.size()) on.push_back(c);
  }
  ASSERT_EQ(ask(*store, {on[0], on[1]}), Answer::admitted);
  cluster.node(1).kill();
  ASSERT_TRUE(wait_until([&] { return store->health().ready == 1; }));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(ask(*store, {on[0]}), Answer::admitted);
    EXPECT_EQ(ask(*store, {on[1]}), Answer::failed);
    EXPECT_EQ(ask(*store, {on[0], on[1]}), Answer::failed);
  }
  EXPECT_TRUE(wait_until([&] { return store->inspect(on[0], {}).now.remaining == 989; }));
}

}  // namespace
}  // namespace weir::redis
