// Failure policies, with a store that does not answer, and decisions that are answered later.
#include "decide/failure.h"

#include <gtest/gtest.h>

#include <thread>

#include "decide/decider.h"
#include "decide/pending.h"
#include "decide/testing/harness.h"
#include "store/memory/memory_store.h"

namespace weir::decide {
namespace {

class DeadStore : public store::Store {
 public:
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      sink.decided({.request = i, .admit = false, .failed = true, .now = now, .outcomes = {}});
    }
  }
  void refund(std::span<const store::Charge>, Now) override {}
  store::Inspection inspect(const store::Charge&, Now) override { return {}; }
  bool reset(store::Slot, const base::Digest&) override { return false; }
  store::Stats stats() const override { return {}; }
  const base::HashSecret& secret() const override { return secret_; }

 private:
  base::HashSecret secret_;
};

// One that decides on a thread of its own, after `charge` has returned.
class LaterStore final : public DeadStore {
 public:
  explicit LaterStore(store::Store& inner) : inner_(inner) {}
  ~LaterStore() override {
    if (thread_.joinable()) thread_.join();
  }
  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    ASSERT_EQ(requests.size(), 1u);
    ASSERT_FALSE(thread_.joinable());
    charges_.assign(requests[0].charges.begin(), requests[0].charges.end());
    thread_ = std::thread([this, peek = requests[0].peek, now, &sink] {
      const store::Request request{charges_, peek};
      inner_.charge({&request, 1}, now, sink);
    });
  }
  void join() { thread_.join(); }

 private:
  store::Store& inner_;
  std::vector<store::Charge> charges_;
  std::thread thread_;
};

class Noted final : public Pending {
 public:
  int times = 0;

 private:
  void done() override { ++times; }
};

class FailurePolicy : public ::testing::Test {
 protected:
  // Asks a store that is dead, with a memory store for `local`.
  Decision ask(bool peek = false, std::uint64_t cost = 1) {
    identity::Facts facts;
    const identity::StatedCost stated{"", cost};
    facts.costs = {&stated, 1};
    facts.method = "GET";
    facts.target = "/";
    facts.client = policy::Address::parse("203.0.113.7");
    facts.peek = peek;
    Decision d;
    Decider(dead_, local_.get()).check(*snapshot_, facts, h_->clock.now(), d);
    return d;
  }
  void policy(std::string_view limits, int instances = 1) {
    h_ = std::make_unique<testing::Harness>("version: 1\ninstances: " + std::to_string(instances) +
                                            "\ntiers: {t: {}}\nlimits:\n" + std::string(limits));
    snapshot_ = h_->engine->snapshot();
  }

  std::unique_ptr<testing::Harness> h_;
  std::shared_ptr<const Snapshot> snapshot_;
  DeadStore dead_;
  std::unique_ptr<store::MemoryStore> local_ = std::move(*store::MemoryStore::open());
};

TEST_F(FailurePolicy, OpenAdmitsSaysSoAndKnowsNothingOfTheCounter) {
  policy("  - {name: a, key: [ip], rate: 1/s}\n");
  const Decision d = ask();
  EXPECT_TRUE(d.admit);
  EXPECT_TRUE(d.degraded);
  EXPECT_EQ(d.status, 200);
  EXPECT_TRUE(d.verdicts[0].failed);
  EXPECT_EQ(d.governing, kNoLimit);
}

TEST_F(FailurePolicy, ClosedIs503WithAWait) {
  policy("  - {name: a, key: [ip], rate: 1/s, on_store_failure: closed}\n");
  const Decision d = ask();
  EXPECT_FALSE(d.admit);
  EXPECT_TRUE(d.degraded);
  EXPECT_EQ(d.status, 503);
  EXPECT_EQ(d.reason, Reason::store_failure);
  EXPECT_EQ(d.retry_after, seconds(1));
}

TEST_F(FailurePolicy, OneClosedLimitDeniesTheRequestAndNothingIsCharged) {
  policy(
      "  - {name: a, key: [ip], limit: 2, window: 1d, algorithm: fixed_window,"
      " on_store_failure: local}\n"
      "  - {name: b, key: global, rate: 1/s, on_store_failure: closed}\n");
  for (int i = 0; i < 5; ++i) {
    const Decision d = ask();
    EXPECT_FALSE(d.admit);
    EXPECT_EQ(d.verdicts[d.governing].limit, 1u);
    EXPECT_EQ(d.verdicts[0].outcome.remaining, 2u);
  }
}

TEST_F(FailurePolicy, LocalAdmitsThisInstancesShare) {
  policy(
      "  - {name: a, key: [ip], limit: 10, window: 1d, algorithm: fixed_window,"
      " on_store_failure: local}\n",
      3);
  int admitted = 0;
  for (int i = 0; i < 10; ++i) {
    const Decision d = ask();
    EXPECT_TRUE(d.degraded);
    EXPECT_FALSE(d.verdicts[0].failed);
    admitted += d.admit ? 1 : 0;
  }
  EXPECT_EQ(admitted, 3);
  EXPECT_EQ(ask().status, 429);
  EXPECT_EQ(ask().reason, Reason::limit_exceeded);
}

TEST_F(FailurePolicy, WhatOnlyTheShareIsTooSmallForIs503WithAWait) {
  policy(
      "  - {name: a, key: [ip], limit: 10, window: 1d, algorithm: fixed_window,"
      " on_store_failure: local}\n",
      3);
  const Decision d = ask(false, 4);
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(d.status, 503);
  EXPECT_EQ(d.reason, Reason::store_failure);
  EXPECT_EQ(d.retry_after, seconds(1));
  EXPECT_TRUE(ask(false, 3).admit);
  const Decision never = ask(false, 11);
  EXPECT_EQ(never.status, 429);
  EXPECT_EQ(never.reason, Reason::cost_exceeds_limit);
}

TEST_F(FailurePolicy, APeekChargesNothingLocally) {
  policy(
      "  - {name: a, key: [ip], limit: 1, window: 1d, algorithm: fixed_window,"
      " on_store_failure: local}\n");
  EXPECT_TRUE(ask(true).admit);
  EXPECT_TRUE(ask(true).admit);
  EXPECT_TRUE(ask().admit);
  EXPECT_FALSE(ask().admit);
}

TEST_F(FailurePolicy, AShadowLimitNeitherDecidesNorClosesTheOthers) {
  policy(
      "  - {name: a, key: [ip], rate: 1/s, mode: shadow, on_store_failure: closed}\n"
      "  - {name: b, key: [ip], limit: 1, window: 1d, algorithm: fixed_window,"
      " on_store_failure: local}\n");
  EXPECT_TRUE(ask().admit);
  EXPECT_FALSE(ask().admit);
}

TEST(Share, IsTheFlooredLimitAtTheRateThatGoesWithIt) {
  const algo::Numbers bucket = share_of(*algo::make_token_bucket(100, seconds(1), 50), 3);
  EXPECT_EQ(bucket.burst, 16u);
  EXPECT_EQ(bucket.count, 100u);
  EXPECT_EQ(bucket.period_ns, seconds(3).ns);
  const algo::Numbers queue =
      share_of(*algo::make_leaky_bucket(1, seconds(1), 0, milliseconds(7)), 4);
  EXPECT_EQ(queue.burst, 1u);
  EXPECT_EQ(queue.max_wait_ns, milliseconds(7).ns);
  const algo::Numbers window = share_of(*algo::make_window(Algorithm::sliding_log, 5, hours(1)), 8);
  EXPECT_EQ(window.count, 1u);
  EXPECT_EQ(window.period_ns, hours(1).ns);
}

// A period of 400 years for a burst of 1 cannot be any longer.
TEST(Share, OfARateThatIsAsSlowAsCanBe) {
  const algo::Numbers slowest = *algo::make_token_bucket(1, days(146'000), 1);
  const algo::Numbers share = share_of(slowest, 10);
  EXPECT_EQ(share.burst, 1u);
  EXPECT_EQ(share.count, 1u);
}

TEST(Pending, IsWhatTheDeciderDecidesOnAnotherThread) {
  testing::Harness h(
      "version: 1\ntiers: {t: {}}\nlimits:\n"
      "  - {name: a, key: [ip], limit: 2, window: 1d, algorithm: fixed_window}\n");
  LaterStore later(h.engine->store());
  const Decider decider(later);
  identity::Facts facts;
  facts.method = "GET";
  facts.target = "/";
  facts.client = policy::Address::parse("203.0.113.7");
  Noted noted;
  for (const bool admitted : {true, true, false}) {
    noted.start(decider, h.engine->snapshot(), facts, h.clock.now());
    later.join();
    EXPECT_EQ(noted.decision().admit, admitted);
    EXPECT_EQ(noted.decision().verdicts[0].outcome.limit, 2u);
  }
  EXPECT_EQ(noted.times, 3);
}

TEST(Pending, WithoutACounterIsDoneAtOnce) {
  testing::Harness h(
      "version: 1\ntiers: {t: {}}\nlimits:\n"
      "  - {name: a, key: [api_key], rate: 1/s, on_missing: skip}\n");
  LaterStore later(h.engine->store());
  const Decider decider(later);
  Noted noted;
  noted.start(decider, h.engine->snapshot(), {}, h.clock.now());
  EXPECT_EQ(noted.times, 1);
  EXPECT_TRUE(noted.decision().admit);
}

}  // namespace
}  // namespace weir::decide
