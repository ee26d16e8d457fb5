// Loading: the short form's exact limits, the long form's round trip, and every refusal's words.
#include "policy/loader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "algo/numbers.h"
#include "policy/findings.h"
#include "policy/segments.h"

namespace weir::policy {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string all(const Findings& findings) {
  std::string out;
  for (const Finding& f : findings) out += f.text() + "\n";
  return out;
}

std::shared_ptr<Policy> good(const std::string& text) {
  Loaded loaded = load_text(text, "policy.yaml");
  EXPECT_TRUE(loaded.policy) << all(loaded.findings);
  return loaded.policy ? loaded.policy : std::make_shared<Policy>();
}

const Limit& limit(const Policy& policy, std::string_view name) {
  for (const Limit& l : policy.limits) {
    if (l.name == name) return l;
  }
  ADD_FAILURE() << "no limit " << name;
  static const Limit kNone;
  return kNone;
}

constexpr std::string_view kPlans = R"(version: 1
tiers:                       # order is rank
  free:       {label: Free,       limits: [1 request/s, 30/min, 1000/day],   costs: {/api/generate: 10}}
  pro:        {label: Pro,        limits: [10 request/s, 300/min, 50k/day],  costs: {/api/generate: 5}}
  enterprise: {label: Enterprise, limits: [100 request/s, 5000/min, 1M/day], costs: {/api/generate: 1}, custom: true}
defaults: {algorithm: sliding_window}
accounts: keys.csv
costs: {/api/search: 1}
global: 10000/s
)";

TEST(ShortForm, PlansBecomeOneLimitAPeriod) {
  const auto policy = good(std::string(kPlans));
  ASSERT_EQ(policy->limits.size(), 4u);
  struct Want {
    const char* name;
    const char* unit;
    Duration window;
    std::uint64_t counts[3];
    std::size_t parts;
  };
  const Want wants[] = {
      {"plan-second", "requests", seconds(1), {1, 10, 100}, 1},
      {"plan-minute", "points", minutes(1), {30, 300, 5000}, 1},
      {"plan-day", "points", days(1), {1000, 50'000, 1'000'000}, 1},
      {"global", "requests", seconds(1), {10'000, 10'000, 10'000}, 0},
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const Limit& l = policy->limits[i];
    SCOPED_TRACE(wants[i].name);
    EXPECT_EQ(l.name, wants[i].name);
    EXPECT_EQ(policy->units[l.unit], wants[i].unit);
    EXPECT_EQ(l.algorithm, Algorithm::sliding_window);
    ASSERT_EQ(l.key.size(), wants[i].parts);
    ASSERT_EQ(l.tiers.size(), 3u);
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(l.tiers[t].numbers.count, wants[i].counts[t]);
      EXPECT_EQ(l.tiers[t].numbers.period_ns, wants[i].window.ns);
    }
  }
  const std::vector<KeyId> client{kApiKey, kUserKey, kIpKey};
  EXPECT_EQ(policy->limits[0].key[0].alternatives, client);
}

TEST(ShortForm, TiersKeepOrderLabelsAndCustom) {
  const auto policy = good(std::string(kPlans));
  ASSERT_EQ(policy->tiers.size(), 3u);
  EXPECT_EQ(policy->tiers[0].name, "free");
  EXPECT_EQ(policy->tiers[2].label, "Enterprise");
  EXPECT_TRUE(policy->tiers[2].custom);
  EXPECT_FALSE(policy->tiers[1].custom);
  EXPECT_EQ(policy->identity.default_tier, 0);
  EXPECT_EQ(policy->accounts_file, "keys.csv");
}

TEST(ShortForm, CostsBecomeClassesNamedAfterTheirPattern) {
  const auto policy = good(std::string(kPlans));
  ASSERT_EQ(policy->classes.size(), 4u);
  EXPECT_EQ(policy->classes[0].name, "/api/generate");
  EXPECT_EQ(policy->classes[1].name, "/api/search");
  EXPECT_EQ(policy->classes[2].name, "default");
  EXPECT_EQ(policy->classes[3].name, "malformed");
  ASSERT_EQ(policy->units, (std::vector<std::string>{"requests", "points"}));
  EXPECT_EQ(policy->classes[0].cost[1], (std::vector<std::uint64_t>{10, 5, 1}));
  EXPECT_EQ(policy->classes[0].cost[0], (std::vector<std::uint64_t>{1, 1, 1}));
  EXPECT_EQ(policy->classes[3].cost[1], (std::vector<std::uint64_t>{1, 1, 1}));
  Segments path;
  ASSERT_TRUE(policy->routes.cut("/api/generate", path));
  const auto match = policy->routes.match("POST", path);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->class_id, 0);
}

TEST(ShortForm, ChargesMostKeyPartsFirstAndGlobalLast) {
  const auto policy = good(std::string(kPlans));
  const std::vector<LimitId> order{0, 1, 2, 3};
  const auto classes = static_cast<ClassId>(policy->classes.size());
  for (ClassId c = 0; c < classes; ++c) {
    EXPECT_EQ(policy->limits_of(c, Stage::post_auth), order);
    EXPECT_TRUE(policy->limits_of(c, Stage::pre_auth).empty());
  }
}

TEST(ShortForm, ASingleRateIsATokenBucketWithItsNumberAsBurst) {
  const auto policy = good(
      "version: 1\ntiers:\n  anonymous: 30/min\n  free: 60/min\n  pro: 600/min\n"
      "accounts: keys.csv\ncosts:\n  /search: 10\nglobal: 10000/s\n");
  const Limit& plan = limit(*policy, "plan-minute");
  EXPECT_EQ(plan.algorithm, Algorithm::token_bucket);
  EXPECT_EQ(plan.tiers[2].numbers.burst, 600u);
  EXPECT_EQ(plan.tiers[2].text, "600/min");
  EXPECT_EQ(limit(*policy, "global").tiers[0].numbers.burst, 10'000u);
  EXPECT_EQ(policy->classes[0].cost[plan.unit], (std::vector<std::uint64_t>{10, 10, 10}));
}

TEST(ShortForm, ATierWithoutARateOfAPeriodHasNoneThere) {
  const auto policy =
      good("version: 1\ntiers: {a: [1/s, 30/min], b: 10/s, c: deny, d: unlimited}\n");
  const Limit& minute = limit(*policy, "plan-minute");
  EXPECT_EQ(minute.tiers[1].kind, NumbersKind::unlimited);
  EXPECT_EQ(minute.tiers[2].kind, NumbersKind::deny);
  EXPECT_EQ(minute.tiers[3].kind, NumbersKind::unlimited);
  EXPECT_EQ(limit(*policy, "plan-second").tiers[1].kind, NumbersKind::numbers);
}

TEST(ShortForm, DurationsNameTheirLimits) {
  const auto policy = good("version: 1\ntiers: {a: [5/15m, 100/1h30m]}\n");
  EXPECT_EQ(policy->limits[0].name, "plan-15m");
  EXPECT_EQ(policy->limits[1].name, "plan-1h30m");
}

TEST(ShortForm, PatternsKeepTheOrderOfTheFile) {
  const auto policy = good(
      "version: 1\ncosts: {/a/b: 2}\nclasses:\n  - {name: rest, match: [\"/a/**\"]}\nglobal: "
      "9/s\n");
  EXPECT_EQ(policy->classes[0].name, "/a/b");
  EXPECT_EQ(policy->classes[1].name, "rest");
}

TEST(LongForm, OverridesEndWithTheirDay) {
  const auto policy = good(slurp("test/data/policy-long.yaml"));
  const Limit& plan = limit(*policy, "plan");
  ASSERT_EQ(plan.overrides.size(), 3u);
  EXPECT_EQ(plan.overrides[0].account, "acme");
  EXPECT_EQ(plan.overrides[0].until.ns, 1'801'440'000'000'000'000u);  // 2027-02-01T00:00:00Z
  EXPECT_EQ(plan.overrides[0].numbers.numbers.burst, 400u);
  EXPECT_EQ(plan.overrides[0].numbers.shared.burst, 4000u);
  EXPECT_EQ(plan.overrides[1].until.ns, ~std::uint64_t{0});
  EXPECT_EQ(plan.overrides[1].reason, "C-17");
  EXPECT_EQ(plan.overrides[2].until.ns, 1'801'393'200'000'000'000u);  // 2027-01-31T11:00:00Z
}

TEST(LongForm, KeysAreTakenApart) {
  const auto policy = good(slurp("test/data/policy-long.yaml"));
  const Limit& search = limit(*policy, "search-user");
  ASSERT_EQ(search.key.size(), 2u);
  EXPECT_EQ(search.key[0].alternatives, (std::vector<KeyId>{kApiKey, kIpKey}));
  EXPECT_TRUE(search.key[1].is_class);
  EXPECT_TRUE(limit(*policy, "search-downstream").key.empty());
  EXPECT_TRUE(limit(*policy, "token-contract").key.empty());
}

TEST(LongForm, SharedAddressesHaveAMultiple) {
  const auto policy = good(slurp("test/data/policy-long.yaml"));
  EXPECT_EQ(limit(*policy, "edge-ip").tiers[0].shared.burst, 2000u);
  EXPECT_EQ(limit(*policy, "edge-ip").tiers[0].shared.count, 500u);
  EXPECT_EQ(limit(*policy, "global").tiers[0].shared.burst, 2000u) << "one counter for all callers";
}

// What is printed loads to the same policy, and prints the same again.
class RoundTrip : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, TheExpandedFormIsTheSamePolicy) {
  const auto policy = good(slurp(GetParam()));
  const auto again = good(expanded(*policy));
  EXPECT_EQ(policy->id.size(), 16u);
  EXPECT_EQ(again->id, policy->id);
  EXPECT_EQ(expanded(*again), expanded(*policy));
  ASSERT_EQ(again->limits.size(), policy->limits.size());
  for (std::size_t i = 0; i < policy->limits.size(); ++i) {
    const Limit& a = policy->limits[i];
    const Limit& b = again->limits[i];
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.covers, b.covers);
    EXPECT_EQ(policy->units[a.unit], again->units[b.unit]);
    EXPECT_EQ(a.hold, b.hold);
    EXPECT_EQ(a.warn_at_ppm, b.warn_at_ppm);
    EXPECT_EQ(a.status, b.status);
    for (std::size_t t = 0; t < a.tiers.size(); ++t) {
      EXPECT_EQ(a.tiers[t].kind, b.tiers[t].kind);
      EXPECT_EQ(a.tiers[t].numbers, b.tiers[t].numbers);
      EXPECT_EQ(a.tiers[t].shared, b.tiers[t].shared);
    }
    ASSERT_EQ(a.overrides.size(), b.overrides.size());
    for (std::size_t o = 0; o < a.overrides.size(); ++o) {
      EXPECT_EQ(a.overrides[o].numbers.numbers, b.overrides[o].numbers.numbers);
      EXPECT_EQ(a.overrides[o].until, b.overrides[o].until);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RoundTrip,
                         ::testing::Values("test/data/policy-long.yaml", "examples/plans.yaml",
                                           "examples/plans-small.yaml", "examples/abuse.yaml",
                                           "examples/downstream.yaml", "examples/replicas.yaml"));

TEST(PolicyId, DoesNotDependOnHowItIsWritten) {
  const auto a = good("version: 1\nglobal: 60/min\n");
  const auto b = good("# same\nglobal: \"60/minute\"\nversion: 1\n");
  const auto c = good("version: 1\nlimits: [{name: global, key: [], rate: 60/1m, burst: 60}]\n");
  const auto d = good("version: 1\nglobal: 61/min\n");
  EXPECT_EQ(a->id, b->id);
  EXPECT_EQ(a->id, c->id);
  EXPECT_NE(a->id, d->id);
}

TEST(Secrets, AreReadAndNeverShown) {
  ::setenv("WEIR_TEST_NETWORK", "198.51.100.0/24", 1);
  ::setenv("WEIR_TEST_BAD", "hunter2", 1);
  const auto policy = good(
      "version: 1\nlisteners: {trusted_proxies: [\"${env:WEIR_TEST_NETWORK}\"]}\nglobal: 9/s\n");
  ASSERT_EQ(policy->listeners.trusted_proxies.size(), 1u);
  EXPECT_EQ(policy->listeners.trusted_proxies[0].text(), "198.51.100.0/24");
  EXPECT_EQ(expanded(*policy).find("198.51"), std::string::npos);
  const Loaded bad = load_text(
      "version: 1\nlisteners: {trusted_proxies: [\"${env:WEIR_TEST_BAD}\"]}\nglobal: 9/s\n", "p");
  EXPECT_FALSE(bad.policy);
  EXPECT_EQ(all(bad.findings).find("hunter2"), std::string::npos) << all(bad.findings);
  const Loaded unset = load_text(
      "version: 1\nlisteners: {allow_from: [\"${env:WEIR_TEST_UNSET}\"]}\nglobal: 9/s\n", "p");
  EXPECT_NE(all(unset.findings).find("`WEIR_TEST_UNSET` is not set"), std::string::npos);
}

// C03: what is accepted is held exactly; the first number that is not is refused.
TEST(Numbers, AreExactUpToTwoToThe53) {
  for (const std::uint64_t n :
       {(1ull << 31) - 1, 1ull << 31, (1ull << 32) - 1, 1ull << 32, (1ull << 53)}) {
    const auto policy =
        good("version: 1\nlimits: [{name: a, key: [ip], algorithm: fixed_window, limit: " +
             std::to_string(n) + ", window: 365d}]\n");
    EXPECT_EQ(policy->limits.at(0).tiers[0].numbers.count, n);
  }
  for (const char* n : {"9007199254740993", "9223372036854775807", "18446744073709551616"}) {
    const Loaded bad = load_text(
        "version: 1\nlimits: [{name: a, key: [ip], algorithm: fixed_window, "
        "limit: " +
            std::string(n) + ", window: 365d}]\n",
        "p");
    EXPECT_FALSE(bad.policy) << n;
    EXPECT_NE(all(bad.findings).find("9007199254740992"), std::string::npos) << all(bad.findings);
  }
}

TEST(Numbers, RangesAreTheAlgorithms) {
  const Loaded bad =
      load_text("version: 1\nlimits: [{name: a, key: [ip], rate: 1/3650d, burst: 41}]\n", "p");
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.findings[0].message, algo::make_token_bucket(1, days(3650), 41).error().message);
  EXPECT_EQ(bad.findings[0].at.column, 53u) << "the burst is to blame";
}

TEST(Accounts, NumbersAsTextAreOfTheLimitsAlgorithm) {
  const auto policy = good(slurp("test/data/policy-long.yaml"));
  const auto bucket = parse_numbers("600/min burst 120", *policy, limit(*policy, "plan"));
  ASSERT_TRUE(bucket);
  EXPECT_EQ(bucket->numbers.burst, 120u);
  EXPECT_EQ(bucket->shared.burst, 1200u);
  EXPECT_EQ(bucket->text, "600/min burst 120");
  const auto window = parse_numbers("2k/h", *policy, limit(*policy, "hourly"));
  ASSERT_TRUE(window);
  EXPECT_EQ(window->numbers.algorithm, Algorithm::sliding_window);
  EXPECT_EQ(window->numbers.count, 2000u);
  const auto queue = parse_numbers("4/s", *policy, limit(*policy, "reports"));
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->numbers.burst, 21u) << "the limit's own queue";
  EXPECT_EQ(queue->numbers.max_wait_ns, seconds(5).ns);
  EXPECT_EQ(parse_numbers("deny", *policy, limit(*policy, "plan"))->kind, NumbersKind::deny);
  for (const char* text : {"", "600", "600/min burst", "600/min burst x", "600/min queue 5",
                           "600/min burst 120 more", "0/min", "6 tokens/min", "600/min  burst 1"}) {
    EXPECT_FALSE(parse_numbers(text, *policy, limit(*policy, "plan"))) << text;
  }
  for (const char* text : {"9/s", "deny", "unlimited"}) {
    EXPECT_FALSE(parse_numbers(text, *policy, limit(*policy, "global"))) << "one counter for all";
  }
}

TEST(Files, OfTheWrongKindAreFindings) {
  const Loaded missing = load_file("/no/such/policy.yaml");
  EXPECT_FALSE(missing.policy);
  EXPECT_NE(all(missing.findings).find("/no/such/policy.yaml: error:"), std::string::npos);
  EXPECT_FALSE(load_file("/").policy);
  const Loaded huge = load_text(std::string((1u << 20) + 1, '#'), "p");
  EXPECT_FALSE(huge.policy);
  EXPECT_NE(all(huge.findings).find("larger than 1 MiB"), std::string::npos);
}

TEST(Findings, AreBoundedInNumberAndTime) {
  std::string text = "version: 1\n";
  for (int i = 0; i < 60'000; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  const Loaded loaded = load_text(text, "p");
  EXPECT_FALSE(loaded.policy);
  EXPECT_EQ(loaded.findings.size(), kMaxFindings + 1);
}

TEST(Findings, ShowTheLineAndACaret) {
  const std::string text = "version: 1\nlimts: []\n";
  const Loaded loaded = load_text(text, "policy.yaml");
  ASSERT_EQ(loaded.findings.size(), 1u);
  EXPECT_EQ(with_caret(loaded.findings[0], text),
            "policy.yaml:2:1: error: unknown key `limts`; did you mean `limits`?\n"
            "   2 | limts: []\n"
            "     | ^~~~~\n");
}

}  // namespace
}  // namespace weir::policy
