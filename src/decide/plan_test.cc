// What is planned at load against what is looked for at each request: the same, whatever a policy
// says. And how keys are put together: hashed once for limits that count alike, apart otherwise.
#include "decide/plan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

using testing::account_line;
using testing::Ask;
using testing::Harness;

class RandomPolicy {
 public:
  explicit RandomPolicy(unsigned seed) : random_(seed) {
    text_ =
        "version: 1\naccounts: keys.csv\ntiers: {free: {}, pro: {}}\n"
        "identity: {keys: {tenant: {from: \"header:x-tenant\"}}}\n"
        "classes:\n  - {name: a, match: [\"GET /a\"], cost: {requests: 2}}\n"
        "  - {name: b, match: [\"GET /b\"], cost: {points: {free: 3, pro: 0}}}\n"
        "limits:\n  - {name: each, key: [ip], rate: 50/min}\n";
    const std::size_t n = 1 + below(8);  // l2 to l9 at most
    for (std::size_t i = 2; i < n + 2; ++i) add_limit("l" + std::to_string(i));
  }
  const std::string& text() const { return text_; }
  // The same to every caller there is; but now each request is asked who it is.
  std::string with_overrides_for_nobody() const {
    return overrides_.empty() ? text_ : text_ + "overrides:\n" + overrides_;
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  const char* one_of(std::initializer_list<const char*> words) {
    return words.begin()[below(words.size())];
  }
  void add_limit(const std::string& name) {
    text_ += "  - {name: " + name + ", key: ";
    const std::string key =
        one_of({"[ip]", "[ip, class]", "[class]", "global", "[tenant]", "[tenant, ip]",
                "[class, client]", "[client]", "[tenant], on_missing: skip",
                "[tenant], on_missing: deny", "[tenant, class], on_missing: deny",
                "[tenant], on_missing: shared", "[ip, tenant], on_missing: shared"});
    text_ += key;
    text_ += one_of({"", "", "", ", mode: shadow", ", mode: off"});
    text_ += one_of({"", "", ", unit: points"});
    // No two limits alike: each # is the limit's own.
    std::string numbers =
        one_of({", rate: #/min", ", rate: 2#/s, burst: 9",
                ", algorithm: fixed_window, limit: #, window: 1h",
                ", tiers: {free: #/min, pro: unlimited}", ", tiers: {free: deny, pro: #/min}",
                ", tiers: {free: #/h, pro: 3#/h}"});
    for (char& c : numbers) c = c == '#' ? name.back() : c;
    text_ += numbers;
    text_ += "}\n";
    if (key == "global" || key == "[class]") return;  // they have no numbers for one caller
    overrides_ += "  - {limit: " + name + ", key: {account: nobody}, rate: 1/h, contract: C-1}\n";
  }

  std::mt19937 random_;
  std::string text_;
  std::string overrides_;
};

Ask random_ask(RandomPolicy& random) {
  Ask ask;
  ask.ip = random.below(9) == 0 ? "" : "203.0.113." + std::to_string(random.below(3));
  if (random.below(3) == 0) ask.api_key = random.below(2) == 0 ? "k-pro" : "k-free";
  if (random.below(2) == 0) ask.headers = {{"x-tenant", random.below(2) == 0 ? "acme" : "other"}};
  if (random.below(8) == 0) ask.costs = {{"", random.below(3)}};
  if (random.below(6) == 0) ask.stage = identity::StageFilter::post_auth;
  if (random.below(9) == 0) ask.stage = identity::StageFilter::pre_auth;
  ask.peek = random.below(5) == 0;
  return ask;
}

void expect_same(const Decision& a, const Decision& b) {
  EXPECT_EQ(a.admit, b.admit);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.retry_after, b.retry_after);
  EXPECT_EQ(a.governing, b.governing);
  ASSERT_EQ(a.count, b.count);
  for (std::size_t i = 0; i < a.count; ++i) {
    SCOPED_TRACE(i);
    const LimitVerdict& x = a.verdicts[i];
    const LimitVerdict& y = b.verdicts[i];
    EXPECT_EQ(x.limit, y.limit);
    EXPECT_EQ(x.mode, y.mode);
    EXPECT_EQ(x.cost, y.cost);
    EXPECT_EQ(x.slot, y.slot);
    EXPECT_EQ(x.from_override, y.from_override);
    EXPECT_EQ(x.outcome.admit, y.outcome.admit);
    EXPECT_EQ(x.outcome.reason, y.outcome.reason);
    EXPECT_EQ(x.outcome.limit, y.outcome.limit);
    EXPECT_EQ(x.outcome.remaining, y.outcome.remaining);
    EXPECT_EQ(x.outcome.wait, y.outcome.wait);
  }
}

TEST(Plan, DecidesWhatLookingForEachNumberDecides) {
  const std::string accounts = account_line("k-free", "free", "f") +
                               account_line("k-pro", "pro", "p") +
                               account_line("k-none", "free", "nobody");
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomPolicy random(seed);
    SCOPED_TRACE(random.text());
    Harness planned(random.text(), accounts);
    Harness looked_for(random.with_overrides_for_nobody(), accounts);
    ASSERT_TRUE(planned.engine && looked_for.engine);
    const policy::ClassId any = planned.policy().default_class();
    ASSERT_FALSE(planned.engine->snapshot()->plans.of(any).has_overrides);
    for (int i = 0; i < 200; ++i) {
      const Ask ask = random_ask(random);
      const char* const target = i % 3 == 0 ? "/a" : i % 3 == 1 ? "/b" : "/c";
      expect_same(planned.ask("GET", target, ask), looked_for.ask("GET", target, ask));
      if (::testing::Test::HasFailure()) return;
      const Duration step = milliseconds(random.below(4000));
      planned.clock.advance(step);
      looked_for.clock.advance(step);
    }
  }
}

TEST(Plan, AKeyIsThatOfLimitClassAndCaller) {
  Harness h(
      "version: 1\ntiers: {t: {}}\nclasses: [{name: s, match: [\"GET /s\"]}]\nlimits:\n"
      "  - {name: ip-class, key: [ip, class], rate: 9/s}\n"
      "  - {name: ip, key: [ip], rate: 9/s}\n"
      "  - {name: class, key: [class], rate: 9/s}\n"
      "  - {name: all, key: global, rate: 9/s}\n");
  const auto key = [&](const Decision& d, const char* limit) { return h.verdict(d, limit)->key; };
  const Decision d = h.ask("GET", "/s", {.ip = "203.0.113.7"});
  ASSERT_EQ(d.count, 4u);
  const base::HashSecret& secret = h.engine->store().secret();
  const base::Digest of_class = identity::class_key(secret, "s");
  identity::KeyHasher hasher(secret, identity::KeyKind::caller);
  hasher.address(*policy::Address::parse("203.0.113.7"));
  const base::Digest caller = hasher.finish();
  const auto limit = [&](const char* name) { return h.verdict(d, name)->numbers->key; };
  EXPECT_EQ(key(d, "ip-class"), limit("ip-class") ^ of_class ^ caller);
  EXPECT_EQ(key(d, "ip"), limit("ip") ^ caller);
  EXPECT_EQ(key(d, "class"), limit("class") ^ of_class);
  EXPECT_EQ(key(d, "all"), limit("all"));
  EXPECT_NE(key(d, "ip"), key(h.ask("GET", "/s", {.ip = "203.0.113.8"}), "ip"));
}

// One hash serves limits that count alike only: what is missing is made up for by each its own way.
TEST(Plan, LimitsThatTreatAMissingPartApartCountApart) {
  Harness h(
      "version: 1\ntiers: {t: {}}\n"
      "identity: {keys: {tenant: {from: \"header:x-tenant\"}}}\nlimits:\n"
      "  - {name: stands-in, key: [tenant], rate: 9/h}\n"
      "  - {name: shared, key: [tenant], rate: 9/h, on_missing: shared}\n"
      "  - {name: skipped, key: [tenant], rate: 9/h, on_missing: skip}\n");
  h.ask("GET", "/", {.ip = "203.0.113.7"});
  const Decision other = h.ask("GET", "/", {.ip = "203.0.113.8"});
  ASSERT_EQ(other.count, 2u);
  EXPECT_EQ(h.verdict(other, "stands-in")->outcome.remaining, 8u);
  EXPECT_EQ(h.verdict(other, "shared")->outcome.remaining, 7u);
}

}  // namespace
}  // namespace weir::decide
