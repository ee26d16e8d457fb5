// The arithmetic of tokens taken ahead, and when they are.
#include "guard/lease.h"

#include <gtest/gtest.h>

#include "algo/prefetch.h"
#include "guard/demand.h"
#include "store/testing/lab.h"

namespace weir::guard {
namespace {

constexpr Instant kNever{~std::uint64_t{0}};
constexpr Instant kStart = Instant{} + days(1);

Instant at(Duration since) { return kStart + since; }

// `got` of `wanted`, asked for at `when`.
void grant(Lease& lease, std::uint64_t wanted, std::uint64_t got, Instant when,
           Instant window = kNever) {
  lease.asked(when);
  lease.got(wanted, got, window, when);
}

std::uint64_t spend(Lease& lease, std::uint64_t cost) {
  const auto reserved = lease.reserve(cost);
  if (!reserved) return 0;
  lease.spend(*reserved);
  return cost;
}

TEST(Lease, HandsOutWhatItGotAndNoMore) {
  Lease lease;
  EXPECT_EQ(spend(lease, 1), 0u);
  grant(lease, 5, 5, kStart);
  EXPECT_EQ(lease.in_hand(), 5u);
  EXPECT_EQ(spend(lease, 6), 0u);
  EXPECT_EQ(spend(lease, 3), 3u);
  EXPECT_EQ(spend(lease, 2), 2u);
  EXPECT_EQ(spend(lease, 1), 0u);
  EXPECT_TRUE(lease.idle());
}

TEST(Lease, AsksBeforeTheLastQuarterIsUsed) {
  Lease lease;
  EXPECT_EQ(lease.wants(20, 1, kStart), 20u);
  grant(lease, 20, 20, kStart);
  while (lease.in_hand() > 5) {
    EXPECT_EQ(lease.wants(20, 1, kStart), lease.in_hand() > 5 ? 0u : 15u);
    spend(lease, 1);
  }
  EXPECT_EQ(lease.wants(20, 1, kStart), 15u);
  lease.asked(kStart);
  EXPECT_EQ(lease.wants(20, 1, kStart), 0u) << "it has been asked";
}

TEST(Lease, RestsAfterLessThanItAskedFor) {
  Lease lease;
  grant(lease, 10, 10, kStart);
  EXPECT_FALSE(lease.resting(kStart));
  for (const std::uint64_t got : {9u, 0u}) {
    Lease poor;
    grant(poor, 10, got, kStart);
    spend(poor, got);
    EXPECT_TRUE(poor.resting(at(milliseconds(20) - nanoseconds(1))));
    EXPECT_EQ(poor.wants(10, 1, at(milliseconds(20) - nanoseconds(1))), 0u);
    EXPECT_FALSE(poor.resting(at(milliseconds(20))));
    EXPECT_EQ(poor.wants(10, 1, at(milliseconds(20))), 10u);
  }
}

TEST(Lease, AStoreThatDoesNotAnswerMayBeAskedAtOnce) {
  Lease lease;
  lease.asked(kStart);
  lease.unanswered();
  EXPECT_FALSE(lease.resting(kStart));
  EXPECT_EQ(lease.wants(10, 1, kStart), 10u);
}

TEST(Lease, EndsAfterFortyMillisecondsAndGivesBackWhatIsUnspent) {
  Lease lease;
  grant(lease, 10, 10, kStart);
  spend(lease, 4);
  EXPECT_EQ(lease.expire(at(milliseconds(40) - nanoseconds(1))), 0u);
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 6u);
  EXPECT_EQ(lease.expire(at(milliseconds(80))), 0u) << "once";
  EXPECT_EQ(lease.in_hand(), 0u);
}

TEST(Lease, UsesTheOlderFirstAndEndsEachInItsTime) {
  Lease lease;
  grant(lease, 4, 4, kStart);
  grant(lease, 6, 6, at(milliseconds(30)));
  spend(lease, 1);
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 3u);
  EXPECT_EQ(lease.in_hand(), 6u);
  EXPECT_EQ(lease.expire(at(milliseconds(70))), 6u);
}

// What is on its way back counts as held: the store may not have it yet.
TEST(Lease, HoldsNoMoreThanItsTargetEvenWithWhatIsOnItsWay) {
  Lease lease;
  grant(lease, 10, 10, kStart);
  const auto held = lease.reserve(3);
  ASSERT_TRUE(held);
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 7u);
  EXPECT_EQ(lease.wants(10, 1, at(milliseconds(41))), 0u);
  EXPECT_EQ(lease.wants(10, 1, at(milliseconds(55))), 7u);
  lease.spend(*held);
  EXPECT_EQ(lease.wants(10, 1, at(milliseconds(55))), 10u);
}

TEST(Lease, WhatADenialGivesBackEndsWhenItWouldHave) {
  Lease lease;
  grant(lease, 10, 10, kStart);
  const auto held = lease.reserve(10);
  ASSERT_TRUE(held);
  EXPECT_EQ(lease.in_hand(), 0u);
  EXPECT_FALSE(lease.idle());
  lease.give_back(*held);
  EXPECT_EQ(lease.in_hand(), 10u);
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 10u);
}

TEST(Lease, TokensDieWithTheirWindow) {
  Lease lease;
  grant(lease, 10, 10, kStart, at(milliseconds(25)));
  EXPECT_EQ(lease.expire(at(milliseconds(25) - nanoseconds(1))), 0u);
  EXPECT_EQ(lease.in_hand(), 10u);
  EXPECT_EQ(lease.expire(at(milliseconds(25))), 0u) << "they are not the next window's";
  EXPECT_EQ(lease.in_hand(), 0u);
  // Life ends in the window's last moments: what goes back then might come too late.
  grant(lease, 10, 10, kStart, at(milliseconds(50)));
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 0u);
  grant(lease, 10, 10, kStart, at(milliseconds(60)));
  EXPECT_EQ(lease.expire(at(milliseconds(40))), 10u);
}

TEST(Lease, SurrendersAllThatIsUnspent) {
  Lease lease;
  grant(lease, 4, 4, kStart);
  grant(lease, 6, 6, at(milliseconds(5)));
  spend(lease, 1);
  EXPECT_EQ(lease.surrender(at(milliseconds(6))), 9u);
  EXPECT_EQ(lease.surrender(at(milliseconds(6))), 0u);
}

TEST(Lease, OfAForgottenCounterNothingIsLeft) {
  Lease lease;
  grant(lease, 10, 10, kStart);
  const auto held = lease.reserve(4);
  ASSERT_TRUE(held);
  lease.drop();
  EXPECT_EQ(lease.in_hand(), 0u);
  lease.give_back(*held);
  EXPECT_EQ(lease.in_hand(), 0u);
  EXPECT_TRUE(lease.idle());
}

TEST(Demand, IsHotFromSomeRateOnAndQuietBelowALowerOne) {
  Demand demand;
  Instant now = kStart;
  const auto run = [&](std::uint64_t per_second, std::uint64_t requests) {
    for (std::uint64_t i = 0; i < requests; ++i) {
      now = now + Duration{seconds(1).ns / per_second};
      demand.note(1, now);
    }
  };
  run(40, 40);
  EXPECT_FALSE(demand.hot());
  run(100, 100);
  EXPECT_FALSE(demand.hot());
  run(250, 250);
  EXPECT_TRUE(demand.hot());
  run(100, 200);
  EXPECT_TRUE(demand.hot()) << "it stays so";
  run(30, 60);
  EXPECT_FALSE(demand.hot());
}

TEST(Demand, NoticesAFloodWithinMilliseconds) {
  Demand demand;
  for (int i = 0; i < 20; ++i)
    demand.note(1, kStart + microseconds(100u * static_cast<unsigned>(i)));
  EXPECT_TRUE(demand.hot());
}

TEST(Demand, SaysWhatWillBeAskedFor) {
  Demand demand;
  for (int i = 0; i < 4'000; ++i)
    demand.note(3, kStart + microseconds(100u * static_cast<unsigned>(i)));
  // 10,000 a second, 3 tokens each.
  const std::uint64_t tokens = demand.within(milliseconds(25), kStart + milliseconds(400));
  EXPECT_GT(tokens, 700u);
  EXPECT_LT(tokens, 800u);
}

TEST(MostPrefetched, AProcessHoldsASixteenthOrWhatIsEarnedMeanwhile) {
  using store::testing::bucket;
  using store::testing::window;
  EXPECT_EQ(algo::most_prefetched(window(Algorithm::fixed_window, 1'000, days(1))), 62u);
  EXPECT_EQ(algo::most_prefetched(bucket(10'000, seconds(1), 10'000)), 625u);
  EXPECT_EQ(algo::most_prefetched(bucket(10'000, seconds(1), 400)), 250u);
  EXPECT_EQ(algo::most_prefetched(bucket(10'000, seconds(1), 100)), 100u) << "all there is";
  EXPECT_EQ(algo::most_prefetched(bucket(10, minutes(1), 3)), 1u);
}

}  // namespace
}  // namespace weir::guard
