// C29: every single-character change of a key or of a unit is an error, or changes nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/findings.h"
#include "policy/loader.h"
#include "policy/table.h"
#include "policy/yaml_tree.h"

namespace weir::policy {
namespace {

constexpr std::string_view kPolicy = R"(version: 1
instances: 2
defaults: {algorithm: fixed_window, align: first, mode: enforce, on_store_failure: closed}
store: {type: memory, max_keys: 20k, on_full: deny}
paths: {case: fold, slash: keep, encoded_slash: decode}
identity:
  ip_prefix: {v4: 24, v6: 56}
  keys: {tenant: {from: "header:x-tenant", normalize: lower, show: plain}}
  tier: {default: pro}
tiers:
  free: {label: Free, public: true, custom: true, upgrade_url: "https://a.example", limits: [1 request/sec, 30/min, 100/hour, 1000/day], costs: {/api/generate: 10}}
  pro: {limits: [10 request/second, 300/minute, 500/hour, 50k/day]}
costs: {/api/search: 3}
classes:
  - {name: health, match: ["GET /healthz"], exempt: true}
  - {name: rest, match: ["/api/**"], when: {tenant: acme}, cost: {points: 2}}
limits:
  - {name: edge, stage: pre_auth, key: [ip], algorithm: token_bucket, rate: 50/sec, burst: 200}
  - {name: log, classes: [rest], except: [health], key: [tenant], algorithm: sliding_log, limit: 10, window: 1h30m, on_missing: deny, warn_at: [0.5], mode: shadow, status: 503}
  - {name: line, key: [tenant], algorithm: leaky_bucket, rate: 2/minute, queue: 5, max_wait: 30s, hold: 2s}
global: 9000/sec
guarantees: [{name: g, max: 18000, window: 1s}]
response: {reset: epoch, body: error, retry_after: {jitter: 0.1}, cors_expose: false, docs: "https://a.example"}
overrides: [{limit: edge, key: {ip: 203.0.113.9}, rate: 90/sec, until: 2027-01-31, reason: office}]
observe: {decision_log: {denied: 1, allowed: 0.5}}
)";

struct Word {
  std::size_t at;
  std::size_t size;
  bool is_unit;
};

std::size_t offset(std::string_view text, Position at) {
  std::size_t start = 0;
  for (std::uint32_t line = 1; line < at.line; ++line) start = text.find('\n', start) + 1;
  return start + at.column - 1;
}

// The format's own keys, and the period (and unit) of each rate.
void collect(const Node& node, const Spec* spec, std::string_view text, std::vector<Word>& out) {
  if (spec == nullptr) return;
  for (const Entry& entry : node.entries) {
    const Spec* child = spec->child(entry.key);
    if (child != nullptr) out.push_back({offset(text, entry.at), entry.key.size(), false});
    collect(entry.value, child != nullptr ? child : spec->any.get(), text, out);
  }
  for (const Node& item : node.items) collect(item, spec->item.get(), text, out);
  if (!node.is_scalar() || !spec->allows(kRate)) return;
  const std::size_t at = offset(text, node.at);
  const std::size_t slash = node.text.find('/');
  if (slash == std::string::npos) return;
  out.push_back({at + slash + 1, node.text.size() - slash - 1, true});
  const std::size_t space = node.text.find(' ');
  if (space < slash) out.push_back({at + space + 1, slash - space - 1, true});
}

// Units are few, so each letter is tried there.
constexpr std::string_view kAnyLetter = "abcdefghijklmnopqrstuvwxyzMS_0 ";
constexpr std::string_view kSomeLetters = "aenstx_0 ";

std::vector<std::string> changes(const std::string& text, std::size_t at,
                                 std::string_view letters) {
  std::vector<std::string> out;
  std::string gone = text;
  gone.erase(at, 1);
  out.push_back(gone);
  for (const char c : letters) {
    std::string other = text;
    other[at] = c;
    out.push_back(other);
    std::string more = text;
    more.insert(at, 1, c);
    out.push_back(more);
  }
  std::string swapped = text;
  std::swap(swapped[at], swapped[at + 1]);
  out.push_back(swapped);
  return out;
}

TEST(Typo, OfAnyKeyOrUnitIsAnErrorOrChangesNothing) {
  const std::string text(kPolicy);
  const Loaded loaded = load_text(text, "p");
  for (const Finding& f : loaded.findings) {
    ASSERT_NE(f.severity, Severity::error) << f.text();
  }
  ASSERT_TRUE(loaded.policy);
  Report report("p");
  const YamlTree tree = parse_yaml(text, report);
  std::vector<Word> words;
  collect(*tree.root, &format(), text, words);
  ASSERT_GT(words.size(), 100u);
  std::size_t refused = 0;
  std::size_t same = 0;
  for (const Word& word : words) {
    for (std::size_t at = word.at; at < word.at + word.size; ++at) {
      for (const std::string& changed :
           changes(text, at, word.is_unit ? kAnyLetter : kSomeLetters)) {
        const Loaded result = load_text(changed, "p");
        if (!result.policy) {
          ++refused;
          EXPECT_FALSE(result.findings.empty());
        } else {
          ++same;
          EXPECT_EQ(result.policy->id, loaded.policy->id)
              << text.substr(word.at, word.size) << " became "
              << changed.substr(word.at, word.size + 1);
        }
      }
    }
  }
  EXPECT_GT(refused, 10'000u);
  EXPECT_GT(same, 0u);
}

}  // namespace
}  // namespace weir::policy
