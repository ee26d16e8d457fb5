// Reloads: counts go on, mistakes change nothing, numbers apply at once.
#include "decide/engine.h"

#include <gtest/gtest.h>

#include <thread>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

using testing::Harness;

std::string limit(std::string_view numbers, std::string_view more = {}) {
  return "version: 1\ntiers: {t: {}}\nlimits:\n  - {name: a, key: [ip], " + std::string(numbers) +
         "}\n" + std::string(more);
}

TEST(Engine, AReloadOfTheSameFileRefillsNothing) {  // C26
  Harness h(limit("rate: 1/min, burst: 5"));
  ASSERT_EQ(h.admitted(9, "GET", "/"), 5);
  for (int i = 0; i < 1000; ++i) {
    h.clock.advance(milliseconds(10));
    ASSERT_TRUE(h.engine->reload_text(limit("rate: 1/min, burst: 5")).adopted);
    ASSERT_FALSE(h.ask("GET", "/").admit);
  }
}

TEST(Engine, AChangeElsewhereKeepsTheCount) {  // C26
  Harness h(limit("rate: 3/h"));
  ASSERT_EQ(h.admitted(2, "GET", "/"), 2);
  ASSERT_TRUE(
      h.engine->reload_text(limit("rate: 3/h", "  - {name: b, key: [ip], rate: 50/s}\n")).adopted);
  EXPECT_EQ(h.admitted(9, "GET", "/"), 1);
}

TEST(Engine, ALoweredLimitAppliesAtOnceAndWaitsArePositive) {  // C27
  Harness h(limit("algorithm: fixed_window, limit: 2000, window: 1d"));
  ASSERT_EQ(h.admitted(201, "GET", "/"), 201);
  ASSERT_TRUE(
      h.engine->reload_text(limit("algorithm: fixed_window, limit: 200, window: 1d")).adopted);
  const Decision d = h.ask("GET", "/");
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(d.verdicts[0].outcome.remaining, 0u);
  EXPECT_GT(d.retry_after, Duration{});
  EXPECT_LE(d.retry_after, days(1));
  h.clock.advance(d.retry_after);
  EXPECT_EQ(h.admitted(300, "GET", "/"), 200);
}

TEST(Engine, ARaisedLimitKeepsWhatWasUsed) {
  Harness h(limit("algorithm: sliding_log, limit: 5, window: 1h"));
  ASSERT_EQ(h.admitted(9, "GET", "/"), 5);
  ASSERT_TRUE(h.engine->reload_text(limit("algorithm: sliding_log, limit: 8, window: 1h")).adopted);
  EXPECT_EQ(h.admitted(9, "GET", "/"), 3);
}

TEST(Engine, AnotherAlgorithmOrWindowStartsFresh) {
  Harness h(limit("algorithm: fixed_window, limit: 2, window: 1h"));
  ASSERT_EQ(h.admitted(9, "GET", "/"), 2);
  ASSERT_TRUE(
      h.engine->reload_text(limit("algorithm: fixed_window, limit: 2, window: 2h")).adopted);
  EXPECT_EQ(h.admitted(9, "GET", "/"), 2);
  ASSERT_TRUE(h.engine->reload_text(limit("rate: 2/h")).adopted);
  EXPECT_EQ(h.admitted(9, "GET", "/"), 2);
}

TEST(Engine, AWrongPolicyChangesNothingAndSaysWhy) {
  Harness h(limit("rate: 2/h"));
  const std::uint64_t version = h.engine->version();
  const Engine::Reloaded r = h.engine->reload_text(limit("rte: 2/h"));
  EXPECT_FALSE(r.adopted);
  ASSERT_FALSE(r.findings.empty());
  EXPECT_EQ(h.engine->version(), version);
  EXPECT_EQ(h.admitted(9, "GET", "/"), 2);
}

TEST(Engine, SaysThatTheStoreStaysAsItWasOpened) {
  for (const char* store : {"store: {type: memory, max_keys: 5000}\n", "store: \"redis://h\"\n"}) {
    Harness h(limit("rate: 2/h"));
    const Engine::Reloaded r = h.engine->reload_text(limit("rate: 2/h", store));
    EXPECT_TRUE(r.adopted);
    ASSERT_EQ(r.findings.size(), 1u);
    EXPECT_NE(r.findings[0].message.find("stays as it was opened"), std::string::npos);
    EXPECT_TRUE(h.engine->reload_text(limit("rate: 2/h")).findings.empty());
  }
}

TEST(Engine, DecidesThroughReloadsOnManyThreads) {
  Harness h(limit("rate: 1000/d"));
  std::atomic<int> admitted{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      SnapshotCache snapshots(*h.engine);
      const auto address = policy::Address::parse("203.0.113.7");
      for (int i = 0; i < 2000; ++i) {
        identity::Facts facts;
        facts.method = "GET";
        facts.target = "/";
        facts.client = address;
        Decision d;
        h.engine->decide(snapshots.get(), facts, h.clock.now(), d);
        admitted += d.admit ? 1 : 0;
      }
    });
  }
  std::thread reloader([&] {
    for (int i = 0; !done; ++i) {
      h.engine->reload_text(limit("rate: 1000/d", i % 2 == 0 ? "" : "name: other\n"));
    }
  });
  for (std::thread& t : threads) t.join();
  done = true;
  reloader.join();
  EXPECT_EQ(admitted, 1000);
}

}  // namespace
}  // namespace weir::decide
