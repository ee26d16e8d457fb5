// Conformance: bounded stores. What happens when every place holds a live key.
#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

constexpr std::uint64_t kPlaces = 32;

std::string nth(std::uint64_t i) { return "k" + std::to_string(i); }

// Fills every place with a counter that is live for a day.
void fill(Lab& l, const algo::Numbers& numbers) {
  for (std::uint64_t i = 0; i < kPlaces; ++i) {
    ASSERT_TRUE(l.charge({l.on(1, nth(i), numbers)}).admit);
  }
  ASSERT_EQ(l.store().stats().keys, kPlaces);
  ASSERT_EQ(l.store().stats().full, 0u);
}

TEST_P(StoreConformance, WithoutAPlaceKeysShareTheOverflowCounter) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab({.max_keys = kPlaces});
    const algo::Numbers numbers = a_day(algorithm, 10);
    fill(l, numbers);
    std::uint64_t admitted = 0;
    for (std::uint64_t i = 0; i < 30; ++i) {
      const Seen seen = l.charge({l.on(1, "late" + std::to_string(i), numbers)});
      EXPECT_TRUE(seen[0].overflow);
      admitted += seen.admit ? 1 : 0;
    }
    EXPECT_EQ(admitted, 10u);
    EXPECT_EQ(l.store().stats().full, 30u);
    EXPECT_EQ(l.store().stats().keys, kPlaces);
    // Another limit, or the same with other numbers, has an overflow counter of its own.
    EXPECT_TRUE(l.charge({l.on(2, "late", numbers)}).admit);
    const algo::Numbers more = a_day(algorithm, 11);
    EXPECT_TRUE(l.charge({l.on(1, "late", more)}).admit);
    // Who has a place keeps it, and what it used.
    for (std::uint64_t i = 0; i < kPlaces; ++i) {
      EXPECT_EQ(l.remaining(l.on(1, nth(i), numbers)), 9u);
    }
  }
}

TEST_P(StoreConformance, WithoutAPlaceANewKeyIsDeniedWhereTheOwnerSaysSo) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab({.max_keys = kPlaces, .deny_when_full = true});
    const algo::Numbers numbers = a_day(algorithm, 10);
    fill(l, numbers);
    const Seen denied = l.charge({l.on(1, "late", numbers)});
    EXPECT_FALSE(denied.admit);
    EXPECT_EQ(denied[0].reason, Reason::table_full);
    EXPECT_EQ(denied[0].wait, seconds(1));
    EXPECT_EQ(denied[0].remaining, 0u);
    EXPECT_FALSE(denied[0].overflow);
    EXPECT_EQ(l.charge({l.on(1, "late", numbers, 11)})[0].reason, Reason::cost_exceeds_limit);
    EXPECT_TRUE(l.charge({l.on(1, "late", numbers, 0)}).admit);
    EXPECT_FALSE(l.peek({l.on(1, "late", numbers)}).admit);
    EXPECT_EQ(l.store().stats().full, 2u);
    // A key without a place denies the whole request.
    EXPECT_FALSE(l.charge({l.on(1, nth(0), numbers), l.on(1, "late", numbers)}).admit);
    EXPECT_EQ(l.remaining(l.on(1, nth(0), numbers)), 9u);
  }
}

TEST_P(StoreConformance, OnlyAFullCounterGivesItsPlaceUp) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  Lab l = lab({.max_keys = kPlaces});
  const algo::Numbers day = a_day(Algorithm::token_bucket, 10);
  const algo::Numbers second = bucket(10, seconds(1), 10);
  for (std::uint64_t i = 0; i + 1 < kPlaces; ++i)
    ASSERT_TRUE(l.charge({l.on(1, nth(i), day)}).admit);
  ASSERT_TRUE(l.charge({l.on(2, "short", second)}).admit);
  EXPECT_TRUE(l.charge({l.on(1, "late", day)})[0].overflow);
  l.advance(milliseconds(100));  // `short` is full again
  EXPECT_FALSE(l.charge({l.on(1, "late", day)})[0].overflow);
  EXPECT_TRUE(l.charge({l.on(2, "short", second)})[0].overflow);
  EXPECT_GE(l.store().stats().reclaimed, 1u);
}

// A key that was counted in the overflow starts full in its own place: never more than both admit.
TEST_P(StoreConformance, OverflowAndOwnCounterTogetherBoundAKey) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab({.max_keys = kPlaces});
    const algo::Numbers numbers = a_day(algorithm, 10);
    fill(l, numbers);
    std::uint64_t admitted = 0;
    for (int i = 0; i < 25; ++i) admitted += l.charge({l.on(1, "late", numbers)}).admit ? 1 : 0;
    ASSERT_TRUE(l.store().reset(1, l.key(1, nth(3))));
    for (int i = 0; i < 25; ++i) admitted += l.charge({l.on(1, "late", numbers)}).admit ? 1 : 0;
    EXPECT_EQ(admitted, 20u);
  }
}

TEST_P(StoreConformance, TwoChargesOfARequestInTheOverflowAddUp) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab({.max_keys = kPlaces});
    const algo::Numbers numbers = a_day(algorithm, 10);
    fill(l, numbers);
    // One key twice, and two keys of one limit: in the overflow they are one counter.
    EXPECT_FALSE(l.charge({l.on(1, "late", numbers, 6), l.on(1, "late", numbers, 6)}).admit);
    EXPECT_FALSE(l.charge({l.on(1, "late", numbers, 6), l.on(1, "later", numbers, 6)}).admit);
    EXPECT_TRUE(l.charge({l.on(1, "late", numbers, 6), l.on(1, "later", numbers, 4)}).admit);
    EXPECT_FALSE(l.charge({l.on(1, "latest", numbers, 1)}).admit);
  }
}

// Each limit of a request needs an overflow counter of its own, also when all are new at once.
TEST_P(StoreConformance, SixteenLimitsOverflowWithinOneRequest) {
  if (!GetParam().bounded) GTEST_SKIP() << "unbounded";
  Lab l = lab({.max_keys = kPlaces});
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 10);
  fill(l, numbers);
  std::vector<Charge> charges;
  for (Slot i = 0; i < kMaxCharges; ++i)
    charges.push_back(l.on(Slot(100 + i), "k", numbers, i % 3));
  ASSERT_TRUE(l.decide(charges, false, l.now()).admit);
  const Seen seen = l.decide(charges, true, l.now());
  for (Slot i = 0; i < kMaxCharges; ++i) EXPECT_EQ(seen[i].remaining, 10u - i % 3) << i;
}

}  // namespace
}  // namespace weir::store::testing
