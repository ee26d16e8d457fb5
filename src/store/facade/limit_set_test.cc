#include "weir/limit_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weir {
namespace {

using namespace std::chrono_literals;

class LimitSetTest : public ::testing::Test {
 protected:
  ManualClock clock_{Instant{1'795'996'800'000'000'000}, Instant{1'000'000'000}};
  LimitSet limits_{LimiterOptions{.max_keys = 10'000, .clock = &clock_}};
};

TEST_F(LimitSetTest, ChargesAllOrNone) {
  const auto user = limits_.add("user", TokenBucket{.rate = per_minute(5)});
  const auto global = limits_.add("global", FixedWindow{.limit = 8, .window = 1h});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limits_.charge({{user, "42"}, {global, ""}}));
  const auto denied = limits_.charge({{user, "42"}, {global, ""}});
  EXPECT_FALSE(denied);
  EXPECT_EQ(denied.governing, 0u);
  EXPECT_EQ(denied.retry_after, 12s);
  EXPECT_EQ(denied.count, 2u);
  EXPECT_FALSE(denied.limits[0].admit);
  EXPECT_TRUE(denied.limits[1].admit);
  EXPECT_EQ(denied.limits[1].remaining, 3u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limits_.charge({{user, "43"}, {global, ""}}));
  const auto all_spent = limits_.charge({{user, "43"}, {global, ""}});
  EXPECT_FALSE(all_spent);
  EXPECT_EQ(all_spent.governing, 1u);
  EXPECT_EQ(all_spent.retry_after, 1h);
  EXPECT_EQ(limits_.peek({{user, "43"}}).limits[0].remaining, 2u);
}

TEST_F(LimitSetTest, TheLongestWaitOfThoseThatDeniedGoverns) {
  const auto fast = limits_.add("fast", TokenBucket{.rate = per_second(1)});
  const auto slow = limits_.add("slow", TokenBucket{.rate = per_minute(1)});
  EXPECT_TRUE(limits_.charge({{fast, 1}, {slow, 1}}));
  const auto denied = limits_.charge({{fast, 1}, {slow, 1}});
  EXPECT_EQ(denied.governing, 1u);
  EXPECT_EQ(denied.retry_after, 60s);
  clock_.advance(seconds(60));
  EXPECT_TRUE(limits_.charge({{fast, 1}, {slow, 1}}));
}

TEST_F(LimitSetTest, TheOneClosestToExhaustionGovernsAnAdmission) {
  const auto wide = limits_.add("wide", TokenBucket{.rate = per_day(100)});
  const auto narrow = limits_.add("narrow", TokenBucket{.rate = per_day(10)});
  EXPECT_EQ(limits_.charge({{wide, 1}, {narrow, 1}}).governing, 1u);
  // 60 left of which each takes 50: one more; 8 left of which each takes 1.
  EXPECT_EQ(limits_.charge({{wide, 1, 39}, {narrow, 1}}).governing, 0u);
  // A tie goes to the one that takes longer to be full.
  const auto again = limits_.peek({{wide, 2, 100}, {narrow, 2, 10}});
  EXPECT_EQ(again.governing, 0u);
}

TEST_F(LimitSetTest, RefundsWhatARequestWasCharged) {
  const auto user = limits_.add("user", TokenBucket{.rate = per_day(3)});
  const auto global = limits_.add("global", SlidingLog{.limit = 3, .window = 1h});
  EXPECT_TRUE(limits_.charge({{user, "a", 3}, {global, "", 3}}));
  limits_.refund({{user, "a", 3}, {global, "", 3}});
  EXPECT_TRUE(limits_.charge({{user, "a", 3}, {global, "", 3}}));
  EXPECT_TRUE(limits_.reset(user, "a"));
  EXPECT_FALSE(limits_.reset(user, "b"));
  EXPECT_FALSE(limits_.charge({{user, "a", 3}, {global, "", 3}}));
  EXPECT_EQ(limits_.peek({{user, "a"}}).limits[0].remaining, 3u);
}

TEST_F(LimitSetTest, TakesNumbersOfTheCall) {
  const auto plan = limits_.add("plan", FixedWindow{.limit = 1, .window = 1h});
  const auto pro = PreparedLimit::make(FixedWindow{.limit = 10, .window = 1h});
  ASSERT_TRUE(pro);
  EXPECT_TRUE(limits_.charge({{plan, "a"}}));
  EXPECT_FALSE(limits_.charge({{plan, "a"}}));
  EXPECT_EQ(limits_.charge({{plan, "a", 1, &*pro}}).limits[0].remaining, 8u);
}

TEST_F(LimitSetTest, AQueuesDelayIsTheRequests) {
  const auto queue = limits_.add("queue", LeakyBucket{.rate = per_second(1), .queue = 5});
  const auto other = limits_.add("other", TokenBucket{.rate = per_second(100)});
  EXPECT_EQ(limits_.charge({{queue, 1}, {other, 1}}).delay, 0s);
  EXPECT_EQ(limits_.charge({{queue, 1}, {other, 1}}).delay, 1s);
}

TEST_F(LimitSetTest, RefusesNamesTwiceAndWrongNumbers) {
  const auto user = limits_.add("user", TokenBucket{.rate = per_minute(5)});
  EXPECT_EQ(limits_.name(user), "user");
  EXPECT_EQ(limits_.name(LimitSet::Id{7}), "");
  const auto twice = limits_.try_add("user", TokenBucket{.rate = per_minute(5)});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().where, "user");
  EXPECT_THROW(limits_.add("user", TokenBucket{.rate = per_minute(5)}), std::invalid_argument);
  const auto wrong = limits_.try_add("zero", TokenBucket{.rate = per_minute(0)});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where.substr(0, 4), "zero");
  EXPECT_TRUE(limits_.charge({{user, "a"}}));
}

TEST_F(LimitSetTest, AWrongRequestChargesNothing) {
  const auto user = limits_.add("user", TokenBucket{.rate = per_day(100)});
  const std::vector<LimitSet::Item> many(LimitSet::kMaxItems + 1, {user, "a"});
  EXPECT_EQ(limits_.charge(many).reason, Reason::store_failure);
  EXPECT_FALSE(limits_.charge({{user, "a"}, {LimitSet::Id{9}, "a"}}));
  EXPECT_EQ(limits_.peek({{user, "a"}}).limits[0].remaining, 100u);
  const std::vector<LimitSet::Item> most(LimitSet::kMaxItems, {user, "a"});
  EXPECT_TRUE(limits_.charge(most));
  EXPECT_EQ(limits_.peek({{user, "a"}}).limits[0].remaining, 84u);
  EXPECT_TRUE(limits_.charge(std::span<const LimitSet::Item>()));
}

TEST(LimitSet, TwoTenantsUnderAGlobalLimitAdmitExactlyIt) {
  LimitSet limits;
  const auto tenant = limits.add("tenant", TokenBucket{.rate = per_hour(1), .burst = 700});
  const auto global = limits.add("global", TokenBucket{.rate = per_hour(1), .burst = 1'000});
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 32; ++i) {
        admitted += limits.charge({{tenant, t % 2}, {global, ""}}).admit ? 1 : 0;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(admitted, 1'000);
}

}  // namespace
}  // namespace weir
