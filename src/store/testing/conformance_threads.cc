// Conformance: many threads, one end state. Time stands still, so the right totals are exact.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

// Runs `work(thread)` on `threads` threads that start together.
template <typename Work>
void together(int threads, Work work) {
  std::barrier start(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  }
  for (std::thread& t : running) t.join();
}

bool admitted(Store& store, std::span<const Charge> charges, Now now) {
  const Request request{charges, false};
  Counting sink;
  store.charge({&request, 1}, now, sink);
  return sink.admit;
}

TEST_P(StoreConformance, FiftyThreadsAtOnceShareALimitOfTen) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    const Charge c = l.on(1, "k", numbers);
    std::atomic<int> total{0};
    together(50, [&](int) { total += admitted(l.store(), {&c, 1}, l.now()) ? 1 : 0; });
    EXPECT_EQ(total, 10);
  }
}

TEST_P(StoreConformance, AThousandADayIsAThousandOnSixtyFourThreads) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 1'000);
    const Charge c = l.on(1, "k", numbers);
    std::atomic<int> total{0};
    together(64, [&](int) {
      int mine = 0;
      for (int i = 0; i < 32; ++i) mine += admitted(l.store(), {&c, 1}, l.now()) ? 1 : 0;
      total += mine;
    });
    EXPECT_EQ(total, 1'000);
    EXPECT_EQ(l.remaining(c), 0u);
  }
}

TEST_P(StoreConformance, TheFirstTouchOfAKeyMakesOneCounter) {
  constexpr int kKeys = 10'000;
  constexpr int kThreads = 64;
  Lab l = lab();
  const algo::Numbers one = bucket(1, hours(1), 1);
  std::vector<Charge> keys;
  for (int i = 0; i < kKeys; ++i) keys.push_back(l.on(1, "k" + std::to_string(i), one));
  std::vector<std::atomic<int>> wins(kKeys);
  together(kThreads, [&](int t) {
    // In groups of eight threads that meet at the same keys, from both ends.
    for (int n = t / 8; n < kKeys; n += kThreads / 8) {
      const auto i = static_cast<std::size_t>(t % 2 == 0 ? n : kKeys - 1 - n);
      wins[i] += admitted(l.store(), {&keys[i], 1}, l.now()) ? 1 : 0;
    }
  });
  for (int i = 0; i < kKeys; ++i) ASSERT_EQ(wins[static_cast<std::size_t>(i)], 1) << i;
  EXPECT_EQ(l.store().stats().keys, static_cast<std::uint64_t>(kKeys));
}

TEST_P(StoreConformance, TwoTenantsUnderAGlobalLimitAdmitExactlyIt) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers tenant = a_day(algorithm, 700);
    const algo::Numbers global = a_day(algorithm, 1'000);
    const Charge both[2][2] = {{l.on(1, "a", tenant), l.on(2, "", global)},
                               {l.on(2, "", global), l.on(1, "b", tenant)}};
    std::atomic<int> total{0};
    together(64, [&](int t) {
      for (int i = 0; i < 32; ++i) {
        total += admitted(l.store(), both[t % 2], l.now()) ? 1 : 0;
      }
    });
    EXPECT_EQ(total, 1'000);
    EXPECT_EQ(l.remaining(both[0][1]), 0u);
    // What the tenants were charged is what the global limit was.
    EXPECT_EQ(l.remaining(both[0][0]) + l.remaining(both[1][1]), 1'400u - 1'000u);
  }
}

// Keys die and come back under the callers' feet; a long-lived one among them stays exact.
TEST_P(StoreConformance, ReuseOfDeadEntriesLosesNoLiveCount) {
  Lab l = lab({.max_keys = 2'048});
  const algo::Numbers day = window(Algorithm::fixed_window, 1'000'000, days(1));
  const algo::Numbers instant = window(Algorithm::fixed_window, 1'000, milliseconds(1));
  const algo::Numbers log = window(Algorithm::sliding_log, 1'000, milliseconds(1));
  const Charge steady = l.on(1, "steady", day);
  std::atomic<int> total{0};
  std::atomic<std::uint64_t> calls{0};
  together(8, [&](int t) {
    for (int i = 0; i < 2'000; ++i) {
      Now now = l.now();
      now.steady = now.steady + milliseconds(calls.fetch_add(1) / 64);
      const std::string who = "n" + std::to_string((i * 7 + t * 131) % 4'000);
      const Charge pair[] = {l.on(2, who, i % 2 == 0 ? instant : log), steady};
      total += admitted(l.store(), pair, now) ? 1 : 0;
    }
  });
  EXPECT_EQ(total, 16'000);
  EXPECT_EQ(l.remaining(steady), 1'000'000u - 16'000u);
  if (!GetParam().bounded) return;
  EXPECT_GT(l.store().stats().reclaimed, 0u);
  EXPECT_LT(l.store().stats().keys, 2'048u);
}

// What one admitted request used, and when: leaky_bucket counts when its caller goes on.
struct Use {
  Instant at;
  std::uint64_t cost;
};

class Uses final : public Sink {
 public:
  void decided(const Verdict& v) override {
    if (v.admit) uses.push_back({v.now.steady + v.outcomes[0].delay, cost});
  }
  std::uint64_t cost = 1;
  std::vector<Use> uses;
};

// Whatever order threads and their clocks come in, no interval admits more than the envelope.
TEST_P(StoreConformance, NoIntervalAdmitsMoreThanTheEnvelope) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers =
        algorithm == Algorithm::token_bucket   ? bucket(7, milliseconds(100), 9)
        : algorithm == Algorithm::leaky_bucket ? leaky(7, milliseconds(100), 8)
                                               : window(algorithm, 9, milliseconds(100));
    constexpr int kThreads = 8;
    std::atomic<std::uint64_t> ms{0};
    std::vector<Uses> seen(kThreads);
    together(kThreads, [&](int t) {
      Uses& mine = seen[static_cast<std::size_t>(t)];
      for (std::uint64_t i = 0; i < 400; ++i) {
        // Every thread's clock lags by its own share.
        Now now = l.now();
        now.steady = now.steady + milliseconds(ms.fetch_add(1) / 4 + 200) -
                     milliseconds(static_cast<std::uint64_t>(t) * 9);
        mine.cost = 1 + i % 3;
        const Charge c = l.on(1, "k", numbers, mine.cost);
        const Request request{{&c, 1}, false};
        l.store().charge({&request, 1}, now, mine);
      }
    });
    std::vector<Use> all;
    for (const Uses& s : seen) all.insert(all.end(), s.uses.begin(), s.uses.end());
    std::sort(all.begin(), all.end(), [](const Use& a, const Use& b) { return a.at < b.at; });
    ASSERT_GT(all.size(), 20u);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = i; j < all.size(); ++j) {
        sum += all[j].cost;
        ASSERT_LE(sum, algo::envelope(numbers, all[j].at - all[i].at)) << i << " to " << j;
      }
    }
  }
}

// Charges and refunds of every thread cancel out.
TEST_P(StoreConformance, RefundsOnAllThreadsLeaveTheCounterFull) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 100);
    const Charge c = l.on(1, "k", numbers, 3);
    together(8, [&](int) {
      for (int i = 0; i < 300; ++i) {
        if (admitted(l.store(), {&c, 1}, l.now())) l.store().refund({&c, 1}, l.now());
      }
    });
    EXPECT_EQ(l.remaining(c), 100u);
  }
}

}  // namespace
}  // namespace weir::store::testing
