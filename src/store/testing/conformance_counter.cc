// Conformance: one counter. Every algorithm through the store, its waits, its life and its reload.
#include "store/registry.h"
#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

constexpr Slot kSlot = 7;

TEST_P(StoreConformance, AdmitsExactlyTheLimit) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    for (std::uint64_t i = 1; i <= 10; ++i) {
      const Seen seen = l.charge({l.on(kSlot, "k", numbers)});
      ASSERT_TRUE(seen.admit) << i;
      EXPECT_EQ(seen[0].remaining, 10 - i);
      EXPECT_EQ(seen[0].limit, 10u);
    }
    const Seen denied = l.charge({l.on(kSlot, "k", numbers)});
    EXPECT_FALSE(denied.admit);
    EXPECT_EQ(denied[0].reason, Reason::limit_exceeded);
    EXPECT_EQ(denied[0].remaining, 0u);
    EXPECT_TRUE(l.charge({l.on(kSlot, "other", numbers)}).admit);
    EXPECT_TRUE(l.charge({l.on(kSlot + 1, "k", numbers)}).admit);
  }
}

TEST_P(StoreConformance, AnnouncesAWaitThatIsExactToTheTick) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    l.at(milliseconds(1'234'567));
    ASSERT_TRUE(l.charge({l.on(kSlot, "k", numbers, 9)}).admit);
    l.advance(milliseconds(500));
    const Seen denied = l.charge({l.on(kSlot, "k", numbers, 3)});
    ASSERT_FALSE(denied.admit);
    const Duration wait = denied[0].wait;
    ASSERT_GT(wait.ns, tick().ns);
    ASSERT_NE(wait, Duration::max());
    l.advance(wait - tick());
    EXPECT_FALSE(l.charge({l.on(kSlot, "k", numbers, 3)}).admit);
    l.advance(tick());
    EXPECT_TRUE(l.charge({l.on(kSlot, "k", numbers, 3)}).admit);
  }
}

TEST_P(StoreConformance, APeekChargesAndInsertsNothing) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 5);
    for (int i = 0; i < 100; ++i) {
      const Seen seen = l.peek({l.on(kSlot, "k", numbers, 5)});
      EXPECT_TRUE(seen.admit);
      EXPECT_EQ(seen[0].remaining, 5u);
    }
    EXPECT_EQ(l.store().stats().keys, 0u);
    ASSERT_TRUE(l.charge({l.on(kSlot, "k", numbers, 4)}).admit);
    EXPECT_FALSE(l.peek({l.on(kSlot, "k", numbers, 2)}).admit);
    EXPECT_TRUE(l.peek({l.on(kSlot, "k", numbers, 1)}).admit);
    EXPECT_TRUE(l.charge({l.on(kSlot, "k", numbers, 1)}).admit);
  }
}

TEST_P(StoreConformance, ADeniedOrFreeRequestInsertsNothing) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 5);
    const Seen denied = l.charge({l.on(kSlot, "k", numbers, 6)});
    EXPECT_FALSE(denied.admit);
    EXPECT_EQ(denied[0].reason, Reason::cost_exceeds_limit);
    EXPECT_EQ(denied[0].wait, Duration::max());
    EXPECT_EQ(denied[0].remaining, 5u);
    EXPECT_TRUE(l.charge({l.on(kSlot, "k", numbers, 0)}).admit);
    EXPECT_EQ(l.store().stats().keys, 0u);
    EXPECT_FALSE(l.inspect(l.on(kSlot, "k", numbers)).live);
  }
}

TEST_P(StoreConformance, ARefundNeverGivesBackMoreThanIsOwed) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    l.refund({l.on(kSlot, "k", numbers, 5)});
    EXPECT_EQ(l.remaining(l.on(kSlot, "k", numbers)), 10u);
    ASSERT_TRUE(l.charge({l.on(kSlot, "k", numbers, 6)}).admit);
    l.refund({l.on(kSlot, "k", numbers, 2)});
    EXPECT_EQ(l.remaining(l.on(kSlot, "k", numbers)), 6u);
    l.refund({l.on(kSlot, "k", numbers, 1'000'000)});
    EXPECT_EQ(l.remaining(l.on(kSlot, "k", numbers)), 10u);
    EXPECT_FALSE(l.charge({l.on(kSlot, "k", numbers, 11)}).admit);
    EXPECT_TRUE(l.charge({l.on(kSlot, "k", numbers, 10)}).admit);
    EXPECT_FALSE(l.charge({l.on(kSlot, "k", numbers, 1)}).admit);
  }
}

TEST_P(StoreConformance, EveryStateHasATimeToLiveWithinTheLaw) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    for (const std::uint64_t ms : {1ull, 20ull, 1'500ull, 60'000ull}) {
      Lab l = lab();
      const algo::Numbers numbers =
          algorithm == Algorithm::token_bucket   ? bucket(4, milliseconds(ms), 4)
          : algorithm == Algorithm::leaky_bucket ? leaky(4, milliseconds(ms), 3)
                                                 : window(algorithm, 4, milliseconds(ms));
      const Duration most = std::max(milliseconds(2 * ms), seconds(1));
      for (int i = 0; i < 10; ++i) {
        (void)l.charge({l.on(kSlot, "k", numbers)});
        const Inspection state = l.inspect(l.on(kSlot, "k", numbers));
        ASSERT_TRUE(state.live);
        EXPECT_GT(state.ttl.ns, 0u);
        EXPECT_LE(state.ttl, most);
      }
      l.advance(most);
      EXPECT_FALSE(l.inspect(l.on(kSlot, "k", numbers)).live);
    }
  }
}

TEST_P(StoreConformance, AResetCounterStartsFull) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 3);
    EXPECT_FALSE(l.store().reset(kSlot, l.key(kSlot, "k")));
    ASSERT_TRUE(l.charge({l.on(kSlot, "k", numbers, 3)}).admit);
    ASSERT_TRUE(l.charge({l.on(kSlot, "other", numbers, 3)}).admit);
    EXPECT_TRUE(l.store().reset(kSlot, l.key(kSlot, "k")));
    EXPECT_FALSE(l.store().reset(kSlot, l.key(kSlot, "k")));
    EXPECT_TRUE(l.charge({l.on(kSlot, "k", numbers, 3)}).admit);
    EXPECT_FALSE(l.charge({l.on(kSlot, "other", numbers, 1)}).admit);
  }
}

// A peek or a charge with an old instant never mints tokens.
TEST_P(StoreConformance, AStaleInstantIsTheLatestOne) {
  Lab l = lab();
  const algo::Numbers slow = bucket(1, seconds(1), 10);
  l.at(seconds(10));
  const Now late = l.now();
  ASSERT_TRUE(l.charge({l.on(kSlot, "k", slow, 10)}).admit);
  l.at(seconds(0));
  const Seen peeked = l.peek({l.on(kSlot, "k", slow, 0)});
  EXPECT_TRUE(peeked.admit);
  EXPECT_EQ(peeked.now.steady, late.steady);
  EXPECT_EQ(peeked[0].remaining, 0u);
  l.at(seconds(10));
  EXPECT_FALSE(l.charge({l.on(kSlot, "k", slow, 10)}).admit);
}

TEST_P(StoreConformance, TwoCallersASecondApartShareOneTime) {
  Lab l = lab();
  const algo::Numbers fast = bucket(150, seconds(1), 150);
  l.at(seconds(290));
  EXPECT_EQ(l.charge({l.on(kSlot, "k", fast, 2)})[0].remaining, 148u);
  l.at(seconds(289));
  EXPECT_EQ(l.charge({l.on(kSlot, "k", fast, 10)})[0].remaining, 138u);
  l.at(seconds(290));
  EXPECT_EQ(l.charge({l.on(kSlot, "k", fast, 0)})[0].remaining, 138u);
}

// Two callers 50 ms apart, 5/s with burst 10, hammering for a second: 15, not 137.
TEST_P(StoreConformance, SkewBetweenCallersMintsNothing) {
  Lab l = lab();
  const algo::Numbers numbers = bucket(5, seconds(1), 10);
  std::uint64_t admitted = 0;
  for (std::uint64_t ms = 0; ms <= 1'000; ++ms) {
    for (const std::uint64_t skew : {50u, 0u}) {
      l.at(milliseconds(10'000 + ms + skew));
      admitted += l.charge({l.on(kSlot, "k", numbers)}).admit ? 1 : 0;
    }
  }
  EXPECT_EQ(admitted, 15u);
}

TEST_P(StoreConformance, ReloadingTheSameNumbersRefillsNothing) {
  Lab l = lab();
  Registry registry;
  for (int i = 0; i < 1'000; ++i) {
    const algo::Numbers numbers = bucket(1, minutes(1), 5);
    const Result<Slot> slot = registry.slot("search", numbers, "requests");
    ASSERT_TRUE(slot);
    EXPECT_EQ(l.charge({l.on(*slot, "k", numbers)}).admit, i < 5) << i;
    l.advance(milliseconds(10));
  }
}

// Windows and the log keep what was used, a bucket its time to full, within the new numbers.
TEST_P(StoreConformance, OtherNumbersApplyToTheStateThatIsThere) {
  for (const Algorithm algorithm : kAlgorithms) {
    const int bits = algorithm == Algorithm::sliding_log ? 20 : 32;
    const std::uint64_t limits[] = {1, 10, 1'000, std::uint64_t{1} << bits};
    for (const std::uint64_t before : limits) {
      for (const std::uint64_t after : limits) {
        SCOPED_TRACE(std::string(name(algorithm)) + " " + std::to_string(before) + " to " +
                     std::to_string(after));
        Lab l = lab();
        const algo::Numbers from = a_day(algorithm, before);
        const algo::Numbers to = a_day(algorithm, after);
        ASSERT_TRUE(l.charge({l.on(kSlot, "k", from, before)}).admit);
        const bool keeps_time =
            algorithm == Algorithm::token_bucket || algorithm == Algorithm::leaky_bucket;
        const std::uint64_t left = keeps_time || after <= before ? 0 : after - before;
        EXPECT_EQ(l.remaining(l.on(kSlot, "k", to)), left);
        const Seen next = l.charge({l.on(kSlot, "k", to, 1)});
        EXPECT_EQ(next.admit, left > 0);
        if (next.admit) continue;
        EXPECT_GT(next[0].wait.ns, 0u);
        EXPECT_LE(next[0].wait, days(2));
        l.advance(next[0].wait);
        EXPECT_TRUE(l.charge({l.on(kSlot, "k", to, 1)}).admit);
      }
    }
  }
}

// 1,000/min drained, then 10 at 1,000/min: the wait it announces ends, although the old state lies
// a whole minute ahead.
TEST_P(StoreConformance, ADenialBringsAStateWithinSmallerNumbers) {
  for (const bool shadow : {false, true}) {
    Lab l = lab();
    const algo::Numbers from = bucket(1'000, minutes(1), 1'000);
    const algo::Numbers to = bucket(1'000, minutes(1), 10);
    ASSERT_TRUE(l.charge({l.on(kSlot, "k", from, 1'000)}).admit);
    const Charge c = shadow ? l.shadow(kSlot, "k", to) : l.on(kSlot, "k", to);
    const Seen denied = l.charge({c});
    ASSERT_FALSE(denied[0].admit);
    EXPECT_EQ(denied[0].wait, milliseconds(60));
    l.advance(denied[0].wait);
    EXPECT_TRUE(l.charge({c})[0].admit);
  }
}

}  // namespace
}  // namespace weir::store::testing
