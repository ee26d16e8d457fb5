// What Decider::check makes of a policy: keys, costs, stages, modes, overrides, governing limits.
#include "decide/decider.h"

#include <gtest/gtest.h>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

using testing::account_line;
using testing::Ask;
using testing::Harness;

std::string with(std::string_view limits) {
  return "version: 1\ntiers: {anonymous: {}, pro: {}}\nlimits:\n" + std::string(limits);
}

TEST(Decider, AdmitsAndCountsByAddress) {
  Harness h(with("  - {name: a, key: [ip], rate: 2/min}\n"));
  EXPECT_EQ(h.admitted(5, "GET", "/x"), 2);
  EXPECT_EQ(h.admitted(5, "GET", "/x", {.ip = "203.0.113.8"}), 2);
}

TEST(Decider, TheDenyingLimitWithTheLongestWaitGoverns) {
  Harness h(
      with("  - {name: fast, key: [ip], rate: 1/s}\n"
           "  - {name: slow, key: [ip], rate: 1/min}\n"
           "  - {name: wide, key: [ip], rate: 100/s}\n"));
  ASSERT_TRUE(h.ask("GET", "/").admit);
  const Decision d = h.ask("GET", "/");
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(h.governing(d), "slow");
  EXPECT_EQ(d.retry_after, seconds(60));
  EXPECT_EQ(d.reason, Reason::limit_exceeded);
}

TEST(Decider, OnAnAdmissionTheLimitWithRoomForFewestSuchRequestsGoverns) {
  // 30 points are 3 requests of cost 10; 5 requests are 5.
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "classes: [{name: c, match: [/c], cost: {points: 10}}]\n"
      "limits:\n"
      "  - {name: requests, key: [ip], rate: 5/min}\n"
      "  - {name: points, key: [ip], unit: points, rate: 30/min}\n");
  EXPECT_EQ(h.governing(h.ask("GET", "/c")), "points");
  EXPECT_EQ(h.governing(h.ask("GET", "/other")), "requests");
}

TEST(Decider, ATieGoesToTheLongestTimeToFull) {
  Harness h(
      with("  - {name: minute, key: [ip], rate: 10/min}\n"
           "  - {name: hour, key: [ip], rate: 10/h}\n"));
  EXPECT_EQ(h.governing(h.ask("GET", "/")), "hour");
}

TEST(Decider, ADenialChargesNothing) {
  Harness h(
      with("  - {name: wide, key: [ip], rate: 10/min}\n"
           "  - {name: narrow, key: global, rate: 1/min}\n"));
  ASSERT_TRUE(h.ask("GET", "/").admit);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(h.ask("GET", "/").admit);
  EXPECT_EQ(h.verdict(h.ask("GET", "/", {.peek = true}), "wide")->outcome.remaining, 9u);
}

TEST(Decider, APeekChargesNothingAndSaysWhatACharegWould) {
  Harness h(with("  - {name: a, key: [ip], rate: 1/min}\n"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(h.ask("GET", "/", {.peek = true}).admit);
  EXPECT_TRUE(h.ask("GET", "/").admit);
  EXPECT_FALSE(h.ask("GET", "/", {.peek = true}).admit);
}

TEST(Decider, ATierThatSaysDenyNeverWaits) {
  Harness h(
      with("  - {name: llm, key: [ip], tiers: {anonymous: deny, pro: 10/min}}\n"
           "  - {name: other, key: [ip], rate: 5/min}\n"));
  const Decision d = h.ask("GET", "/");
  EXPECT_FALSE(d.admit);
  EXPECT_EQ(d.status, 429);
  EXPECT_EQ(d.reason, Reason::not_in_plan);
  EXPECT_EQ(d.retry_after, Duration::max());
  EXPECT_EQ(h.verdict(d, "other")->outcome.remaining, 5u);
}

TEST(Decider, UnlimitedIsNotAsked) {
  Harness h(with("  - {name: a, key: [ip], tiers: {anonymous: unlimited, pro: 1/min}}\n"));
  const Decision d = h.ask("GET", "/");
  EXPECT_TRUE(d.admit);
  EXPECT_EQ(d.count, 0u);
  EXPECT_EQ(h.governing(d), "none");
}

TEST(Decider, CostAboveTheLimitIsDeniedForEver) {
  Harness h(with("  - {name: a, key: [ip], rate: 5/min}\n"));
  const Decision d = h.ask("GET", "/", {.costs = {{"", 6}}});
  EXPECT_EQ(d.reason, Reason::cost_exceeds_limit);
  EXPECT_EQ(d.retry_after, Duration::max());
  EXPECT_EQ(h.admitted(9, "GET", "/"), 5);
}

TEST(Decider, AnExplicitCostOfZeroTakesTheClassOut) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "classes: [{name: free, match: [/free], cost: {requests: 0}}]\n"
      "limits:\n  - {name: a, key: [ip], rate: 1/min}\n");
  EXPECT_EQ(h.admitted(5, "GET", "/free"), 5);
  EXPECT_EQ(h.admitted(5, "GET", "/x"), 1);
}

TEST(Decider, AStatedCostIsForItsUnit) {
  Harness h(
      with("  - {name: r, key: [ip], rate: 100/min}\n"
           "  - {name: p, key: [ip], unit: points, rate: 100/min}\n"));
  const Decision d = h.ask("GET", "/", {.costs = {{"points", 7}}});
  EXPECT_EQ(h.verdict(d, "r")->outcome.remaining, 99u);
  EXPECT_EQ(h.verdict(d, "p")->outcome.remaining, 93u);
}

TEST(Decider, ShadowLimitsNeverDecideOrGovern) {
  Harness h(
      with("  - {name: shadow, key: [ip], rate: 1/min, mode: shadow}\n"
           "  - {name: real, key: [ip], rate: 3/min}\n"));
  EXPECT_EQ(h.admitted(5, "GET", "/"), 3);
  const Decision d = h.ask("GET", "/", {.peek = true});
  EXPECT_EQ(h.governing(d), "real");
  EXPECT_FALSE(h.verdict(d, "shadow")->outcome.admit);
}

TEST(Decider, ModeOffIsNotThere) {
  Harness h(with("  - {name: off, key: [ip], rate: 1/min, mode: off}\n"));
  EXPECT_EQ(h.ask("GET", "/").count, 0u);
}

TEST(Decider, StagesAreAskedApart) {
  Harness h(
      with("  - {name: edge, stage: pre_auth, key: [ip], rate: 2/min}\n"
           "  - {name: plan, key: [client], rate: 3/min}\n"));
  const Ask pre{.stage = identity::StageFilter::pre_auth};
  const Ask post{.stage = identity::StageFilter::post_auth};
  EXPECT_EQ(h.ask("GET", "/", pre).count, 1u);
  EXPECT_EQ(h.ask("GET", "/", post).count, 1u);
  EXPECT_EQ(h.ask("GET", "/").count, 2u);
  EXPECT_EQ(h.verdict(h.ask("GET", "/", {.peek = true}), "plan")->outcome.remaining, 1u);
}

TEST(Decider, ExemptClassesAndPreflightsAskNoLimit) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "classes: [{name: health, match: [GET /healthz], exempt: true}]\n"
      "limits:\n  - {name: a, key: global, rate: 1/h}\n");
  EXPECT_EQ(h.admitted(5, "GET", "/healthz"), 5);
  const Ask preflight{
      .headers = {{"Origin", "https://a.example"}, {"Access-Control-Request-Method", "POST"}}};
  EXPECT_EQ(h.admitted(5, "OPTIONS", "/x", preflight), 5);
  EXPECT_TRUE(h.ask("OPTIONS", "/x").admit);
  EXPECT_FALSE(h.ask("OPTIONS", "/x").admit);
}

TEST(Decider, OnMissingSaysWhatHappensWithoutTheKey) {
  const std::string policy =
      "version: 1\ntiers: {t: {}}\n"
      "identity: {keys: {tenant: {from: \"header:x-tenant\"}}}\nlimits:\n";
  const Ask a{.ip = "203.0.113.1"};
  const Ask b{.ip = "203.0.113.2"};
  {
    Harness h(policy + "  - {name: l, key: [tenant], rate: 1/min}\n");
    EXPECT_TRUE(h.ask("GET", "/", a).admit) << "the address stands in";
    EXPECT_TRUE(h.ask("GET", "/", b).admit);
    EXPECT_FALSE(h.ask("GET", "/", a).admit);
  }
  {
    Harness h(policy + "  - {name: l, key: [tenant], rate: 1/min, on_missing: shared}\n");
    EXPECT_TRUE(h.ask("GET", "/", a).admit);
    EXPECT_FALSE(h.ask("GET", "/", b).admit);
  }
  {
    Harness h(policy + "  - {name: l, key: [tenant], rate: 1/min, on_missing: skip}\n");
    EXPECT_EQ(h.ask("GET", "/", a).count, 0u);
  }
  {
    Harness h(policy + "  - {name: l, key: [tenant], rate: 1/min, on_missing: deny}\n");
    const Decision d = h.ask("GET", "/", a);
    EXPECT_FALSE(d.admit);
    EXPECT_EQ(d.reason, Reason::missing_key);
    EXPECT_TRUE(h.ask("GET", "/", {.headers = {{"x-tenant", "t1"}}}).admit);
  }
}

TEST(Decider, ASharedAddressHasItsMultipleAndKnownKeysDoNot) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "identity: {shared_ip: {networks: [203.0.113.0/24], multiplier: 10}}\n"
      "limits:\n  - {name: l, key: [client], rate: 2/min}\n",
      account_line("k", "t", "a"));
  EXPECT_EQ(h.admitted(50, "GET", "/"), 20);
  EXPECT_EQ(h.admitted(50, "GET", "/", {.ip = "198.51.100.1"}), 2);
  EXPECT_EQ(h.admitted(50, "GET", "/", {.api_key = "k"}), 2);
}

TEST(Decider, AnOverrideHoldsForItsAccountUntilItsEnd) {
  Harness h(
      "version: 1\ntiers: {t: {}}\naccounts: none.csv\n"
      "limits:\n  - {name: l, key: [client], rate: 2/min}\n"
      "overrides:\n"
      "  - {limit: l, key: {account: acme}, rate: 5/min, until: 2026-11-30, reason: R-1}\n",
      account_line("k", "t", "acme") + account_line("k2", "t", "other"));
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "k2"}), 2);
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "k"}), 5);
  h.clock.advance(days(1) - nanoseconds(1));
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "k"}), 5) << "a bare date is a whole day";
  h.clock.advance(minutes(5));
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "k"}), 2);
}

TEST(Decider, AnOverrideOfANormalizedKeyIsFoldedAsTheCallersValueIs) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "identity: {keys: {tenant: {from: \"header:x-tenant\", normalize: lower}}}\n"
      "limits:\n  - {name: l, key: [tenant], rate: 2/min}\n"
      "overrides:\n"
      "  - {limit: l, key: {tenant: \" ÄRZTE\"}, rate: 5/min, contract: C-1}\n");
  EXPECT_EQ(h.admitted(9, "GET", "/", {.headers = {{"X-Tenant", "ärzte"}}}), 5);
  EXPECT_EQ(h.admitted(9, "GET", "/", {.headers = {{"X-Tenant", "Ärzte "}}}), 0) << "the same";
  EXPECT_EQ(h.admitted(9, "GET", "/", {.headers = {{"X-Tenant", "arzte"}}}), 2);
}

TEST(Decider, ACustomTierTakesItsNumbersFromTheAccount) {
  Harness h(
      "version: 1\ntiers: {free: {}, ent: {custom: true}}\naccounts: none.csv\n"
      "limits:\n  - {name: l, key: [client], tiers: {free: 1/min, ent: 2/min}}\n",
      account_line("a", "ent", "acme", "l=7/min") + account_line("b", "ent", "bee"));
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "a"}), 7);
  EXPECT_EQ(h.admitted(9, "GET", "/", {.api_key = "b"}), 2);
}

TEST(Decider, WarnsFromTheThresholdOn) {
  Harness h(with("  - {name: l, key: [ip], rate: 10/h, warn_at: [0.8, 0.95]}\n"));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(h.ask("GET", "/").verdicts[0].warned_ppm, 0u);
  EXPECT_EQ(h.ask("GET", "/").verdicts[0].warned_ppm, 800'000u);
  EXPECT_EQ(h.ask("GET", "/").verdicts[0].warned_ppm, 800'000u);
  EXPECT_EQ(h.ask("GET", "/").verdicts[0].warned_ppm, 950'000u);
}

TEST(Decider, ALimitMayAnswer503) {
  Harness h(with("  - {name: g, key: global, rate: 1/min, status: 503}\n"));
  EXPECT_EQ(h.ask("GET", "/").status, 200);
  EXPECT_EQ(h.ask("GET", "/").status, 503);
}

TEST(Decider, AQueueDelaysWhereTheSurfaceCanWait) {
  const std::string policy = with(
      "  - {name: q, key: global, algorithm: leaky_bucket, rate: 10/s, queue: 2, hold: 150ms}\n");
  {
    Harness h(policy);
    EXPECT_EQ(h.ask("GET", "/").delay, Duration{});
    EXPECT_EQ(h.ask("GET", "/").delay, milliseconds(100));
    EXPECT_EQ(h.ask("GET", "/").delay, milliseconds(200));
    const Decision d = h.ask("GET", "/");
    EXPECT_FALSE(d.admit);
    EXPECT_EQ(d.retry_after, milliseconds(100));
  }
  {
    Harness h(policy);
    const Ask now{.max_delay = {}};
    EXPECT_TRUE(h.ask("GET", "/", now).admit);
    const Decision d = h.ask("GET", "/", now);
    EXPECT_FALSE(d.admit);
    EXPECT_EQ(d.retry_after, milliseconds(100)) << "the wait is the delay";
  }
  {
    Harness h(policy);
    const Ask hold{.max_delay = {}, .may_hold = true};
    EXPECT_EQ(h.admitted(5, "GET", "/", hold), 2) << "100 ms can be held, 200 ms cannot";
  }
}

TEST(Decider, ALoopingInternalCallerIsDeniedByItsOwnLimit) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "identity: {keys: {service: {from: \"attribute:service\", authenticated: true}}}\n"
      "classes:\n"
      "  - {name: billing, when: {service: billing}}\n"
      "limits:\n"
      "  - {name: billing-loop, classes: [billing], key: [service], rate: 5/s}\n"
      "  - {name: all, key: [ip], rate: 1000/s}\n");
  const Ask billing{.attributes = {{"service", "billing"}}};
  EXPECT_EQ(h.admitted(50, "GET", "/v1/invoices", billing), 5);
  const Decision d = h.ask("GET", "/v1/invoices", billing);
  EXPECT_EQ(h.governing(d), "billing-loop");
  EXPECT_EQ(h.class_name(d), "billing");
  EXPECT_EQ(h.admitted(50, "GET", "/v1/invoices"), 50);
}

}  // namespace
}  // namespace weir::decide
