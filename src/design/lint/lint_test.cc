#include "design/lint/lint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "decide/engine.h"
#include "design/lint/catalogue.h"

namespace weir::design::lint {
namespace {

constexpr Instant kNow{1'796'052'661'000'000'000};  // 2026-11-30T15:31:01Z

policy::Findings lint_text(const std::string& text, const std::string& accounts = "\n") {
  auto opened = decide::Engine::open_text(text, "p.yaml", accounts);
  for (const policy::Finding& f : opened.findings) {
    if (f.severity == policy::Severity::error) ADD_FAILURE() << f.text() << "\n" << text;
  }
  if (!opened.engine) return {};
  return run(*opened.engine->snapshot(), text, kNow);
}

const policy::Finding* find_code(const policy::Findings& findings, std::string_view code) {
  for (const policy::Finding& f : findings) {
    if (f.code == code) return &f;
  }
  return nullptr;
}

// A policy that is found, where, and one that differs in what is right.
struct Case {
  std::string code;
  std::string bad;
  std::uint32_t line;
  std::uint32_t column;
  std::string good;
  std::string accounts = "\n";
};

std::string with_limit(const std::string& limit) {
  return "version: 1\nlimits:\n  - " + limit + "\n";
}

const std::string kPlain = with_limit("{name: a, key: [ip], rate: 60/min, burst: 20}");
// sha256 of "k"
const std::string kHash = "8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a";

std::vector<Case> cases() {
  return {
      {"WR101", "version: 1\ninstances: 3\nlimits:\n  - {name: a, key: [ip], rate: 100/min}\n", 2,
       1, "version: 1\ninstances: 1\nlimits:\n  - {name: a, key: [ip], rate: 100/min}\n"},
      {"WR103",
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\", timeout: 60ms}\nlimits:\n  "
       "- "
       "{name: a, key: [ip], rate: 100/min}\n",
       2, 50,
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\", timeout: 50ms}\nlimits:\n  "
       "- "
       "{name: a, key: [ip], rate: 100/min}\n"},
      {"WR104",
       "version: 1\nlisteners: {trusted_proxies: [0.0.0.0/0]}\nlimits:\n  - {name: a, key: "
       "[ip], rate: 100/min}\n",
       2, 13,
       "version: 1\nlisteners: {trusted_proxies: [10.0.0.0/8]}\nlimits:\n  - {name: a, key: [ip], "
       "rate: 100/min}\n"},
      {"WR105",
       "version: 1\nidentity: {ip_prefix: {v4: 32, v6: 128}}\nlimits:\n  - {name: a, key: "
       "[ip], rate: 100/min}\n",
       2, 32,
       "version: 1\nidentity: {ip_prefix: {v4: 32, v6: 56}}\nlimits:\n  - {name: a, key: [ip], "
       "rate: "
       "100/min}\n"},
      {"WR106",
       "version: 1\nidentity: {api_key: {from: \"header:x-api-key\", trusted: gateway}}\n"
       "limits:\n  - {name: a, key: [api_key], rate: 100/min}\n",
       4, 5,
       "version: 1\nidentity: {api_key: {from: \"header:x-api-key\", trusted: gateway}}\n"
       "limits:\n  - {name: a, key: [\"api_key | ip\"], rate: 100/min}\n"},
      {"WR107",
       "version: 1\nidentity: {keys: {where: {from: \"header:x-original-uri\"}}}\n"
       "limits:\n  - {name: a, key: [ip, where], rate: 100/min}\n",
       4, 5,
       "version: 1\nidentity: {keys: {where: {from: \"header:x-tenant\"}}}\n"
       "limits:\n  - {name: a, key: [ip, where], rate: 100/min}\n"},
      {"WR109",
       "version: 1\naccounts: keys.csv\nlimits:\n  - {name: a, key: [ip], rate: 100/min}\n", 4, 5,
       "version: 1\naccounts: keys.csv\nlimits:\n  - {name: a, key: [client], rate: 100/min}\n"},
      {"WR110",
       "version: 1\nlimits:\n  - {name: a, key: global, rate: 100/s, burst: 100}\n"
       "guarantees:\n  - {name: g, classes: \"*\", max: 200, window: 1s}\n",
       5, 5,
       "version: 1\nlimits:\n  - {name: a, key: global, rate: 100/s, burst: 100, on_store_failure: "
       "closed}\nguarantees:\n  - {name: g, classes: \"*\", max: 200, window: 1s}\n"},
      {"WR111",
       "version: 1\nclasses:\n  - {name: enter, match: [\"POST /login\"]}\nlimits:\n  - {name: "
       "a, key: [ip], rate: 100/min}\n",
       3, 5,
       "version: 1\nclasses:\n  - {name: enter, match: [\"POST /login\"]}\nlimits:\n  - {name: a, "
       "key: "
       "[ip], rate: 100/min, on_store_failure: closed}\n"},
      {"WR112", kPlain, 2, 1,
       with_limit("{name: a, key: [ip], rate: 60/min, burst: 20, on_store_failure: open}")},
      {"WR115",
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n  - {name: a, "
       "key: "
       "global, rate: 200/s, burst: 200, prefetch: true}\nguarantees:\n  - {name: g, max: 500, "
       "window: 1s}\n",
       6, 5,
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n  - {name: a, "
       "key: "
       "global, rate: 200/s, burst: 200}\nguarantees:\n  - {name: g, max: 500, window: 1s}\n"},
      {"WR116",
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n  - {name: a, "
       "key: "
       "[ip], rate: 1000/s, burst: 50, prefetch: true}\n",
       4, 5,
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n  - {name: a, "
       "key: "
       "[ip], rate: 1000/s, burst: 100, prefetch: true}\n"},
      {"WR117",
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n  - {name: a, "
       "key: [ip], rate: 60/min, on_store_failure: local}\n",
       4, 5,
       "version: 1\ninstances: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\"}\nlimits:\n"
       "  - {name: a, key: [ip], rate: 60/min, on_store_failure: local}\n"},
      {"WR114",
       "version: 1\nstore: \"redis://127.0.0.1:1\"\nlimits:\n  - {name: a, key: [ip], rate: "
       "100/min}\n",
       2, 1,
       "version: 1\nstore: {type: redis, url: \"redis://127.0.0.1:1\", secret: "
       "\"file:test/data/redis-password.txt\"}\nlimits:\n  - {name: a, key: [ip], rate: "
       "100/min}\n"},
      {"WR122", with_limit("{name: a, key: [ip], rate: 60/min, burst: 120}"), 3, 5,
       with_limit("{name: a, key: [ip], rate: 60/min, burst: 60}")},
      {"WR123", with_limit("{name: a, key: [ip], algorithm: sliding_log, limit: 1000, window: 1h}"),
       3, 5, with_limit("{name: a, key: [ip], algorithm: sliding_log, limit: 10, window: 1h}")},
      {"WR124", with_limit("{name: a, key: [ip], algorithm: leaky_bucket, rate: 1/s, queue: 60}"),
       3, 5,
       with_limit(
           "{name: a, key: [ip], algorithm: leaky_bucket, rate: 1/s, queue: 60, max_wait: 5s}")},
      {"WR125", with_limit("{name: a, key: [ip], rate: 10/s, burst: 10}"), 3, 5,
       with_limit("{name: a, key: [ip], rate: 10/s, burst: 20}")},
      {"WR126", with_limit("{name: a, key: [ip], rate: 10/min, burst: 700}"), 3, 5,
       with_limit("{name: a, key: [ip], rate: 10/min, burst: 600}")},
      {"WR128",
       with_limit("{name: a, key: [ip], algorithm: leaky_bucket, rate: 1/s, queue: 9, max_wait: "
                  "2s, hold: 3s}"),
       3, 5,
       with_limit("{name: a, key: [ip], algorithm: leaky_bucket, rate: 1/s, queue: 9, max_wait: "
                  "2s, hold: 2s}")},
      {"WR181",
       "version: 1\nlisteners: {trusted_proxies: [], allow_from: []}\nlimits:\n  - {name: a, key: "
       "[ip], rate: 60/min}\n",
       2, 34,
       "version: 1\nlisteners: {trusted_proxies: []}\nlimits:\n  - {name: a, key: [ip], rate: "
       "60/min}\n"},
      {"WR130",
       "version: 1\nclasses:\n  - {name: s, match: [/s]}\n  - {name: r, match: [/r]}\nlimits:\n "
       " - {name: a, key: [ip], rate: 60/min}\n",
       6, 5,
       "version: 1\nclasses:\n  - {name: s, match: [/s], cost: {points: 10}}\n  - {name: r, match: "
       "[/r]}\nlimits:\n  - {name: a, key: [ip], unit: points, rate: 60/min}\n"},
      {"WR131",
       "version: 1\nclasses:\n  - {name: all, match: [\"/v1/**\"]}\n  - {name: s, match: "
       "[\"GET /v1/search\"]}\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\n",
       4, 23,
       "version: 1\nclasses:\n  - {name: s, match: [\"GET /v1/search\"]}\n  - {name: all, match: "
       "[\"/v1/**\"]}\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\n"},
      {"WR132",
       "version: 1\nclasses:\n  - {name: s, match: [/s]}\nlimits:\n  - {name: a, classes: [s], "
       "key: [ip], rate: 60/min}\n",
       5, 5,
       "version: 1\nclasses:\n  - {name: s, match: [/s]}\nlimits:\n  - {name: a, key: [ip], rate: "
       "60/min}\n"},
      {"WR134",
       "version: 1\ntiers: {free: {}, pro: {}}\nlimits:\n  - name: a\n    key: [ip]\n    "
       "tiers:\n      free: 100/min\n      pro: 10/min\n",
       8, 12,
       "version: 1\ntiers: {free: {}, pro: {}}\nlimits:\n  - name: a\n    key: [ip]\n    tiers:\n  "
       "    "
       "free: 10/min\n      pro: 100/min\n"},
      {"WR135",
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min, burst: 20}\n  - {name: b, "
       "key: [ip], rate: 30/min, burst: 10}\n",
       3, 5,
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min, burst: 5}\n  - {name: b, key: "
       "[ip], "
       "rate: 30/min, burst: 10}\n"},
      {"WR136",
       with_limit("{name: a, key: [ip], algorithm: sliding_window, limit: 1000, window: 1d}"), 3, 5,
       "version: 1\nlimits:\n  - {name: a, key: [ip], algorithm: sliding_window, limit: 1000, "
       "window: "
       "1d}\n  - {name: b, key: [ip], rate: 60/min}\n"},
      {"WR137", kPlain, 2, 1,
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\n  - {name: g, key: global, "
       "rate: "
       "1000/s}\n"},
      {"WR140",
       "version: 1\nclasses:\n  - {name: mine, match: [\"GET /v1/*/mine\"]}\n  - {name: item, "
       "match: [\"GET /v1/items/*\"]}\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\n",
       4, 26,
       "version: 1\nclasses:\n  - {name: mine, match: [\"GET /v1/*/mine\"]}\n  - {name: item, "
       "match: "
       "[\"GET /v2/items/*\"]}\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\n"},
      {"WR150",
       "version: 1\nclasses:\n  - {name: s, match: [/s], cost: {points: 10}}\nlimits:\n  - "
       "{name: a, key: [ip], unit: points, rate: 1/s}\n",
       5, 5,
       "version: 1\nclasses:\n  - {name: s, match: [/s], cost: {points: 10}}\nlimits:\n  - {name: "
       "a, "
       "key: [ip], unit: points, rate: 1/s, burst: 10}\n"},
      {"WR160",
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\nresponse: {headers: []}\n", 4,
       12,
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\nresponse: {headers: "
       "[fields]}\n"},
      {"WR161",
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\nresponse: {headers: "
       "[fields, github]}\n",
       4, 12,
       "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 60/min}\nresponse: {headers: [ietf, "
       "fields]}\n"},
      {"WR163", with_limit("{name: a, key: [ip], algorithm: fixed_window, limit: 60, window: 1m}"),
       3, 5,
       with_limit(
           "{name: a, key: [ip], algorithm: fixed_window, limit: 60, window: 1m, align: first}")},
      {"WR165", kPlain, 1, 1, kPlain + "response: {docs: \"https://docs.example/limits\"}\n"},
      {"WR166", kPlain + "response: {headers: []}\n", 4, 12,
       with_limit("{name: a, key: [ip], rate: 60/min, warn_at: [0.8]}") +
           "response: {headers: []}\n"},
      {"WR171",
       kPlain + "overrides:\n  - {limit: a, key: {ip: 192.0.2.1}, rate: 600/min, until: "
                "2026-01-31, reason: T-1}\n",
       5, 5,
       kPlain +
           "overrides:\n  - {limit: a, key: {ip: 192.0.2.1}, rate: 600/min, until: 2027-01-31, "
           "reason: T-1}\n"},
      {"WR175",
       "version: 1\nclasses:\n  - {name: jobs, when: {service: jobs}, exempt: true}\n"
       "limits:\n  - {name: a, key: [ip], rate: 60/min}\n",
       3, 5,
       "version: 1\nclasses:\n  - {name: jobs, when: {service: jobs}}\nlimits:\n  - {name: a, key: "
       "[ip], rate: 60/min}\n"},
      {"WR178", "version: 1\ntiers:\n  free: 60/min\n  pro: 600/min\naccounts: keys.csv\n", 4, 3,
       "version: 1\ntiers:\n  free: 60/min\n  internal: 600/min\naccounts: keys.csv\n"},
      {"WR139",
       "version: 1\ntiers: {free: {}, big: {custom: true}}\naccounts: keys.csv\nlimits:\n  - "
       "{name: a, key: [client], tiers: {free: 60/min, big: unlimited}}\n",
       1, 1,
       "version: 1\ntiers: {free: {}, big: {custom: true}}\naccounts: keys.csv\nlimits:\n  - "
       "{name: a, "
       "key: [client], tiers: {free: 60/min, big: 600/min}}\n",
       kHash + ",big,acme\n"},
  };
}

TEST(Lint, FindsEachCodeAtItsPlaceAndNotInTheRightPolicy) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.code);
    const policy::Findings bad = lint_text(c.bad, c.accounts);
    const policy::Finding* found = find_code(bad, c.code);
    if (c.line == 0) {
      EXPECT_EQ(found, nullptr) << "a guarantee that holds is no finding";
    } else {
      ASSERT_NE(found, nullptr) << c.bad;
      EXPECT_EQ(found->at.line, c.line) << found->text();
      EXPECT_EQ(found->at.column, c.column) << found->text();
      EXPECT_EQ(found->severity, find(c.code)->severity) << found->text();
      EXPECT_FALSE(found->help.empty());
    }
    const policy::Findings good = lint_text(c.good, c.accounts);
    const policy::Finding* wrong = find_code(good, c.code);
    EXPECT_EQ(wrong, nullptr) << (wrong ? wrong->text() : "") << "\n" << c.good;
  }
}

TEST(Lint, SaysWhyAWindowBreaksAGuarantee) {
  const std::string head = "version: 1\nlimits:\n  - {name: a, key: global, algorithm: ";
  const std::string tail =
      ", limit: 100, window: 1s}\nguarantees:\n  - {name: g, classes: \"*\", max: 100, window: "
      "1s}\n";
  for (const auto& [algorithm, code] :
       {std::pair{"fixed_window", "WR120"}, std::pair{"sliding_window", "WR121"}}) {
    const std::string text = head + algorithm + tail;
    const auto loaded = policy::load_text(text, "p.yaml");
    EXPECT_EQ(loaded.policy, nullptr);
    const policy::Finding* found = find_code(loaded.findings, code);
    ASSERT_NE(found, nullptr) << text;
    EXPECT_EQ(found->at.line, 5u);
  }
}

TEST(Lint, MultipliesTheLimitByTheInstances) {
  const policy::Findings findings = lint_text(
      "version: 1\ninstances: 3\nlimits:\n  - {name: client, key: [ip], rate: 100/min, burst: "
      "100}\n");
  const policy::Finding* found = find_code(findings, "WR101");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->message.find("3 x 100/min = 300/min"), std::string::npos) << found->message;
}

TEST(Lint, DoesNotMultiplyByTheInstancesThatShareAStore) {
  const policy::Findings findings = lint_text(
      "version: 1\ninstances: 3\nstore: \"redis://127.0.0.1:1\"\nlimits:\n  - {name: client, key: "
      "[ip], rate: 100/min}\n");
  EXPECT_EQ(find_code(findings, "WR101"), nullptr);
}

TEST(Lint, FindsNoErrorInTheExamples) {
  for (const char* name : {"abuse", "plans-small", "plans", "replicas", "downstream"}) {
    const std::string file = std::string("examples/") + name + ".yaml";
    std::ifstream in(file);
    ASSERT_TRUE(in) << file;
    std::stringstream text;
    text << in.rdbuf();
    auto opened = decide::Engine::open(file);
    ASSERT_TRUE(opened.engine) << file;
    for (const policy::Finding& f : run(*opened.engine->snapshot(), text.str(), kNow)) {
      EXPECT_NE(f.severity, policy::Severity::error) << f.text();
    }
  }
}

TEST(Catalogue, HasEachCodeOnceInOrder) {
  std::string last;
  for (const Rule& rule : catalogue()) {
    EXPECT_LT(last, rule.code);
    last = rule.code;
    EXPECT_FALSE(rule.title.empty()) << rule.code;
    if (rule.check == nullptr) {
      EXPECT_FALSE(rule.needs.empty()) << rule.code;
    } else {
      EXPECT_FALSE(rule.why.empty()) << rule.code;
      EXPECT_FALSE(rule.help.empty()) << rule.code;
    }
  }
  EXPECT_EQ(find("wr120"), find("WR120"));
  EXPECT_EQ(find("WR999"), nullptr);
}

TEST(Catalogue, EachCheckHasACase) {
  std::set<std::string> tested{"WR133", "WR179"};  // by tests of their own
  for (const Case& c : cases()) tested.insert(c.code);
  for (const Rule& rule : catalogue()) {
    if (rule.check == nullptr) continue;
    EXPECT_EQ(tested.count(std::string(rule.code)), 1u) << rule.code;
  }
}

// Both may be refused by the loader already; what reaches lint is found here.
TEST(Lint, FindsATierThatALimitForgot) {
  auto loaded = policy::load_text(
      "version: 1\ntiers: {free: {}, pro: {}}\nlimits:\n  - {name: a, key: [ip], tiers: {free: "
      "60/min}}\n",
      "p.yaml");
  if (!loaded.policy) {
    EXPECT_FALSE(loaded.findings.empty());
    return;
  }
  const decide::Snapshot snapshot(loaded.policy, nullptr);
  const policy::Findings findings = run(snapshot, "", kNow);
  const policy::Finding* found = find_code(findings, "WR133");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->at.line, 4u);
}

TEST(Lint, FindsIdentityBeforeAuthentication) {
  auto loaded = policy::load_text(
      "version: 1\naccounts: keys.csv\nlimits:\n  - {name: a, stage: pre_auth, key: [client], "
      "rate: "
      "60/min}\n",
      "p.yaml");
  if (!loaded.policy) {
    EXPECT_FALSE(loaded.findings.empty());
    return;
  }
  const decide::Snapshot snapshot(loaded.policy, nullptr);
  const policy::Findings findings = run(snapshot, "", kNow);
  const policy::Finding* found = find_code(findings, "WR179");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->at.line, 4u);
}

TEST(Catalogue, TheDocumentIsCurrent) {
  if (std::getenv("WEIR_UPDATE_DOCS") != nullptr) {
    std::ofstream("docs/lint.md") << catalogue_markdown();
  }
  std::ifstream in("docs/lint.md");
  ASSERT_TRUE(in) << "docs/lint.md is missing: weir lint --catalogue > docs/lint.md";
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), catalogue_markdown()) << "run: weir lint --catalogue > docs/lint.md";
}

}  // namespace
}  // namespace weir::design::lint
