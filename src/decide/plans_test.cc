// E4: the policy of `make run`, each of its numbers, on a clock that does not move by itself.
#include <gtest/gtest.h>

#include <string>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

using testing::account_line;
using testing::Ask;
using testing::Harness;

constexpr std::string_view kPlans = R"(version: 1
tiers:
  free:       {label: Free,       limits: [1 request/s, 30/min, 1000/day],   costs: {/api/generate: 10}}
  pro:        {label: Pro,        limits: [10 request/s, 300/min, 50k/day],  costs: {/api/generate: 5}}
  enterprise: {label: Enterprise, limits: [100 request/s, 5000/min, 1M/day], costs: {/api/generate: 1}, custom: true}
defaults: {algorithm: sliding_window}
costs: {/api/search: 1}
global: 10000/s
)";

std::string accounts() {
  std::string csv = account_line("k-free", "free", "f") + account_line("k-pro", "pro", "p") +
                    account_line("k-ent", "enterprise", "e");
  for (int i = 0; i < 101; ++i) {
    csv += account_line("ent-" + std::to_string(i), "enterprise", "e" + std::to_string(i));
  }
  return csv;
}

// Requests that are paced so that only `plan-minute` and longer can deny, one every `gap`.
int paced(Harness& h, int n, Duration gap, std::string_view key) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    count += h.ask("POST", "/api/generate", {.api_key = std::string(key)}).admit ? 1 : 0;
    h.clock.advance(gap);
  }
  return count;
}

TEST(Plans, FreeDeniesTheSecondRequestInASecond) {
  Harness h(kPlans, accounts());
  EXPECT_TRUE(h.ask("GET", "/api/search", {.api_key = "k-free"}).admit);
  const Decision d = h.ask("GET", "/api/search", {.api_key = "k-free"});
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(h.governing(d), "plan-second");
  EXPECT_EQ(d.status, 429);
}

TEST(Plans, FreeGeneratesThreeAMinute) {
  Harness h(kPlans, accounts());
  EXPECT_EQ(paced(h, 10, seconds(2), "k-free"), 3);
}

TEST(Plans, FreeGeneratesAHundredADay) {
  Harness h(kPlans, accounts());
  EXPECT_EQ(paced(h, 700, seconds(120), "k-free"), 100);
}

TEST(Plans, ProGeneratesSixtyAMinute) {
  Harness h(kPlans, accounts());
  EXPECT_EQ(paced(h, 300, milliseconds(190), "k-pro"), 60);
}

TEST(Plans, ProGeneratesTenThousandADay) {
  Harness h(kPlans, accounts());
  EXPECT_EQ(paced(h, 10'800, seconds(7), "k-pro"), 10'000);
}

TEST(Plans, EnterpriseGeneratesFiveThousandAMinute) {
  Harness h(kPlans, accounts());
  EXPECT_EQ(paced(h, 5'800, milliseconds(10) + microseconds(200), "k-ent"), 5'000);
}

TEST(Plans, GlobalAdmitsTenThousandAndChargesTheDeniedNowhere) {
  Harness h(kPlans, accounts());
  int admitted = 0;
  int denied_by_global = 0;
  for (int i = 0; i < 101; ++i) {
    const Ask ask{.api_key = "ent-" + std::to_string(i)};
    for (int n = 0; n < 100; ++n) {
      const Decision d = h.ask("GET", "/api/search", ask);
      admitted += d.admit ? 1 : 0;
      denied_by_global += !d.admit && h.governing(d) == "global" ? 1 : 0;
    }
  }
  EXPECT_EQ(admitted, 10'000);
  EXPECT_EQ(denied_by_global, 100);
  // The last key was denied every time: none of its own limits has been charged.
  const Decision d = h.ask("GET", "/api/search", {.api_key = "ent-100", .peek = true});
  for (const char* limit : {"plan-second", "plan-minute", "plan-day"}) {
    const LimitVerdict* v = h.verdict(d, limit);
    ASSERT_NE(v, nullptr);
    EXPECT_EQ(v->outcome.remaining, v->outcome.limit) << limit;
  }
}

TEST(Plans, ADenialByTheDayLeavesTheOthersAsTheyWere) {
  Harness h(kPlans, accounts());
  ASSERT_EQ(paced(h, 100, seconds(120), "k-free"), 100);
  const Ask peek{.api_key = "k-free", .peek = true};
  const Decision before = h.ask("GET", "/api/generate", peek);
  const Decision denied = h.ask("GET", "/api/generate", {.api_key = "k-free"});
  EXPECT_EQ(h.governing(denied), "plan-day");
  const Decision after = h.ask("GET", "/api/generate", peek);
  for (const char* limit : {"plan-second", "plan-minute", "plan-day", "global"}) {
    EXPECT_EQ(h.verdict(before, limit)->outcome.remaining,
              h.verdict(after, limit)->outcome.remaining)
        << limit;
  }
}

TEST(Plans, AnUnknownKeyIsTheLowestTierCountedByAddress) {
  Harness h(kPlans, accounts());
  const Decision first = h.ask("GET", "/api/search", {.api_key = "made-up-1"});
  EXPECT_TRUE(first.admit);
  EXPECT_EQ(h.tier_name(first), "free");
  EXPECT_FALSE(h.ask("GET", "/api/search", {.api_key = "made-up-2"}).admit);
  EXPECT_TRUE(h.ask("GET", "/api/search", {.ip = "203.0.113.8", .api_key = "made-up-1"}).admit);
}

TEST(Plans, AChangeOfTierKeepsTheUsage) {
  Harness h(kPlans, account_line("k", "free", "a"));
  ASSERT_TRUE(h.ask("GET", "/api/generate", {.api_key = "k"}).admit);
  h.clock.advance(seconds(2));
  const Decision d = h.ask("GET", "/api/generate", {.api_key = "k", .peek = true});
  EXPECT_EQ(h.verdict(d, "plan-day")->outcome.remaining, 990u);
}

// One counter under the numbers of several tiers: a denied caller makes it forget nothing.
TEST(Plans, ADeniedCallerForgivesNothingThatAnotherOwes) {
  const std::string accounts = account_line("k", "pro", "acme");
  const std::string limits = "limits:\n  - {name: a, key: [ip], ";
  for (const std::string& text :
       {limits + "tiers: {anon: 10/min, pro: 1000/day}}\n",
        std::string("limits:\n  - {name: a, key: global, tiers: {anon: 10/min, pro: 1000/day}}\n"),
        limits + "tiers: {anon: {rate: 10/h, burst: 10}, pro: {rate: 10/h, burst: 1000}}}\n",
        limits + "rate: 10/min}\noverrides: [{limit: a, key: {account: acme}, rate: 1000/day,"
                 " contract: C-1}]\n"}) {
    SCOPED_TRACE(text);
    Harness h("version: 1\naccounts: keys.csv\ntiers: {anon: {}, pro: {}}\n" + text, accounts);
    ASSERT_TRUE(h.engine);
    int admitted = 0;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 1100; ++i) admitted += h.ask("GET", "/", {.api_key = "k"}).admit ? 1 : 0;
      EXPECT_FALSE(h.ask("GET", "/").admit);
    }
    EXPECT_EQ(admitted, 1000);
  }
}

}  // namespace
}  // namespace weir::decide
