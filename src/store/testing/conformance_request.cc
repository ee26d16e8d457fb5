// Conformance: requests with several charges stand or fall together.
#include <algorithm>
#include <random>

#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

// Integrators at 5/min under an organisation at 10/min: what the first is denied costs the second
// nothing.
TEST_P(StoreConformance, WhatOneLevelDeniesIsChargedNowhere) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers five = a_day(algorithm, 5);
    const algo::Numbers ten = a_day(algorithm, 10);
    std::mt19937 random(7);
    const auto call = [&](std::string_view who) {
      std::vector<Charge> levels{l.on(1, who, five), l.on(2, "org", ten)};
      std::shuffle(levels.begin(), levels.end(), random);
      return l.decide(levels, false, l.now()).admit;
    };
    int first = 0;
    for (int i = 0; i < 8; ++i) first += call("integrator-1") ? 1 : 0;
    EXPECT_EQ(first, 5);
    EXPECT_EQ(l.remaining(l.on(2, "org", ten)), 5u);
    int second = 0;
    for (int i = 0; i < 6; ++i) second += call("integrator-2") ? 1 : 0;
    EXPECT_EQ(second, 5);
    EXPECT_EQ(l.remaining(l.on(2, "org", ten)), 0u);
  }
}

// Five levels in any order; one has no room. All the others are as they were.
TEST_P(StoreConformance, ADenialLeavesEveryOtherCounterAsItWas) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Lab l = lab();
    std::vector<algo::Numbers> numbers;
    for (const Algorithm a : kAlgorithms) numbers.push_back(a_day(a, 4 + random() % 4));
    std::vector<Charge> levels;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      levels.push_back(l.on(static_cast<Slot>(i), "k", numbers[i], random() % 3));
    }
    (void)l.decide(levels, false, l.now());
    const std::size_t tight = random() % levels.size();
    levels[tight].cost = l.remaining(levels[tight]) + 1;
    std::vector<Inspection> before;
    for (const Charge& c : levels) before.push_back(l.inspect(c));
    std::vector<Charge> shuffled = levels;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    const Seen denied = l.decide(shuffled, false, l.now());
    EXPECT_FALSE(denied.admit);
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      EXPECT_EQ(denied[i].remaining, l.remaining(shuffled[i]));
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Inspection after = l.inspect(levels[i]);
      EXPECT_EQ(after.live, before[i].live);
      EXPECT_EQ(after.now.remaining, before[i].now.remaining);
      EXPECT_EQ(after.ttl, before[i].ttl);
    }
  }
}

TEST_P(StoreConformance, SixteenChargesAreOneRequest) {
  Lab l = lab();
  const algo::Numbers roomy = a_day(Algorithm::sliding_window, 100);
  const algo::Numbers tight = a_day(Algorithm::token_bucket, 2);
  std::vector<Charge> charges;
  for (Slot i = 0; i < kMaxCharges; ++i) {
    charges.push_back(l.on(i, "k" + std::to_string(i), i == 11 ? tight : roomy));
  }
  EXPECT_TRUE(l.decide(charges, false, l.now()).admit);
  EXPECT_TRUE(l.decide(charges, false, l.now()).admit);
  const Seen denied = l.decide(charges, false, l.now());
  EXPECT_FALSE(denied.admit);
  ASSERT_EQ(denied.outcomes.size(), kMaxCharges);
  for (std::size_t i = 0; i < kMaxCharges; ++i) {
    EXPECT_EQ(denied[i].admit, i != 11) << i;
    EXPECT_EQ(l.remaining(charges[i]), i == 11 ? 0u : 98u) << i;
  }
}

TEST_P(StoreConformance, MoreChargesThanThereMayBeAreNotDecided) {
  Lab l = lab();
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 100);
  const std::vector<Charge> charges(kMaxCharges + 1, l.on(1, "k", numbers));
  const Seen seen = l.decide(charges, false, l.now());
  EXPECT_TRUE(seen.failed);
  EXPECT_FALSE(seen.admit);
  EXPECT_TRUE(seen.outcomes.empty());
  EXPECT_EQ(l.store().stats().keys, 0u);
}

TEST_P(StoreConformance, ARequestWithoutChargesIsAdmitted) {
  Lab l = lab();
  const Seen seen = l.charge({});
  EXPECT_TRUE(seen.admit);
  EXPECT_TRUE(seen.outcomes.empty());
}

TEST_P(StoreConformance, TwoChargesOnOneCounterAddUp) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    const Seen first = l.charge({l.on(1, "k", numbers, 3), l.on(1, "k", numbers, 4)});
    ASSERT_TRUE(first.admit);
    EXPECT_EQ(first[0].limit, 10u);
    EXPECT_EQ(first[1].remaining, 3u);
    const Seen peeked = l.peek({l.on(1, "k", numbers, 2), l.on(1, "k", numbers, 2)});
    EXPECT_FALSE(peeked.admit);
    EXPECT_EQ(peeked[0].remaining, 3u);
    EXPECT_EQ(peeked[1].remaining, 3u);
    const Seen denied = l.charge({l.on(1, "k", numbers, 2), l.on(1, "k", numbers, 2)});
    EXPECT_FALSE(denied.admit);
    EXPECT_TRUE(denied[0].admit);
    EXPECT_FALSE(denied[1].admit);
    EXPECT_EQ(l.remaining(l.on(1, "k", numbers)), 3u);
    l.advance(denied[1].wait - tick());
    EXPECT_FALSE(l.charge({l.on(1, "k", numbers, 2), l.on(1, "k", numbers, 2)}).admit);
    l.advance(tick());
    EXPECT_TRUE(l.charge({l.on(1, "k", numbers, 2), l.on(1, "k", numbers, 2)}).admit);
  }
}

TEST_P(StoreConformance, TwoChargesThatTogetherExceedTheLimitNeverFit) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers numbers = a_day(algorithm, 10);
    const Seen denied = l.charge({l.on(1, "k", numbers, 6), l.on(1, "k", numbers, 6)});
    EXPECT_FALSE(denied.admit);
    EXPECT_EQ(denied[1].reason, Reason::cost_exceeds_limit);
    EXPECT_EQ(denied[1].wait, Duration::max());
    EXPECT_EQ(l.store().stats().keys, 0u);
  }
}

TEST_P(StoreConformance, AShadowChargeNeverDecides) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    Lab l = lab();
    const algo::Numbers three = a_day(algorithm, 3);
    const algo::Numbers five = a_day(algorithm, 5);
    for (int i = 0; i < 7; ++i) {
      const Seen seen = l.charge({l.shadow(1, "k", three), l.on(2, "k", five)});
      EXPECT_EQ(seen.admit, i < 5) << i;
      EXPECT_EQ(seen[0].admit, i < 3) << i;
    }
    EXPECT_EQ(l.remaining(l.on(2, "k", five)), 0u);
  }
}

TEST_P(StoreConformance, AShadowChargeIsNotChargedForADeniedRequest) {
  Lab l = lab();
  const algo::Numbers one = a_day(Algorithm::token_bucket, 1);
  const algo::Numbers ten = a_day(Algorithm::fixed_window, 10);
  for (int i = 0; i < 4; ++i) (void)l.charge({l.shadow(1, "k", ten), l.on(2, "k", one)});
  EXPECT_EQ(l.remaining(l.on(1, "k", ten)), 9u);
}

TEST_P(StoreConformance, AShadowChargeOnAnEnforcedCounterComesAfterIt) {
  Lab l = lab();
  const algo::Numbers three = a_day(Algorithm::fixed_window, 3);
  const Seen seen = l.charge({l.shadow(1, "k", three, 2), l.on(1, "k", three, 2)});
  EXPECT_TRUE(seen.admit);
  EXPECT_FALSE(seen[0].admit);
  EXPECT_EQ(l.remaining(l.on(1, "k", three)), 1u);
}

TEST_P(StoreConformance, EveryRequestOfABatchGetsItsVerdict) {
  Lab l = lab();
  const algo::Numbers two = a_day(Algorithm::token_bucket, 2);
  const Charge c = l.on(1, "k", two);
  const std::vector<Request> batch{
      {{&c, 1}, false}, {{&c, 1}, true}, {{&c, 1}, false}, {{&c, 1}, false}};
  Recorder recorder;
  l.store().charge(batch, l.now(), recorder);
  ASSERT_EQ(recorder.seen.size(), 4u);
  const bool admitted[] = {true, true, true, false};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(recorder.requests[i], i);
    EXPECT_EQ(recorder.seen[i].admit, admitted[i]) << i;
  }
}

}  // namespace
}  // namespace weir::store::testing
