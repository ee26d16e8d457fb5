#include "design/proof.h"

#include <gtest/gtest.h>

#include "policy/loader.h"

namespace weir::design {
namespace {

policy::Guarantee guarantee(const policy::Policy& policy, std::uint64_t max, Duration window,
                            std::vector<std::string> classes) {
  policy::Guarantee g;
  g.name = "g";
  g.max = max;
  g.window = window;
  g.covers.assign(policy.classes.size(), false);
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    for (const std::string& name : classes) {
      if (policy.classes[c].name == name) g.covers[c] = true;
    }
  }
  return g;
}

decide::Snapshot load(const std::string& text) {
  auto loaded = policy::load_text(text, "p.yaml");
  for (const auto& f : loaded.findings) {
    if (f.severity == policy::Severity::error) ADD_FAILURE() << f.text();
  }
  return decide::Snapshot(loaded.policy, nullptr);
}

const std::string kTwo =
    "version: 1\nclasses:\n  - {name: a, match: [/a]}\n  - {name: b, match: [/b]}\nlimits:\n"
    "  - {name: la, classes: [a], key: global, rate: 200/s, burst: 200}\n"
    "  - {name: lb, classes: [b], key: global, algorithm: sliding_log, limit: 50, window: 1s}\n"
    "  - {name: each, key: [ip], rate: 10/s, burst: 10}\n";

TEST(Proof, BoundsAClassByItsGlobalLimit) {
  const decide::Snapshot s = load(kTwo);
  const Proof held = prove(s, guarantee(*s.policy, 400, seconds(1), {"a"}));
  EXPECT_TRUE(held.proved);
  EXPECT_EQ(held.bound, 400u);
  EXPECT_EQ(held.arithmetic, "la: 200 + 200/s x 1s = 400 <= 400");
  EXPECT_FALSE(prove(s, guarantee(*s.policy, 399, seconds(1), {"a"})).proved);
}

TEST(Proof, AddsTheLimitsOfSeveralClasses) {
  const decide::Snapshot s = load(kTwo);
  const Proof held = prove(s, guarantee(*s.policy, 500, seconds(1), {"a", "b"}));
  EXPECT_TRUE(held.proved) << held.arithmetic;
  EXPECT_EQ(held.bound, 500u);  // 400, and 50 on each edge of the log's window
}

TEST(Proof, NothingBoundsAClassThatOnlyCallersLimit) {
  const decide::Snapshot s = load(kTwo);
  const Proof open = prove(s, guarantee(*s.policy, 1'000'000, seconds(1), {"default"}));
  EXPECT_FALSE(open.proved);
  EXPECT_TRUE(open.limits.empty());
}

TEST(Proof, ALimitInShadowBoundsNothing) {
  const decide::Snapshot s = load(
      "version: 1\nlimits:\n  - {name: a, key: global, rate: 1/s, mode: shadow}\n"
      "  - {name: b, key: [ip], rate: 1/s}\n");
  EXPECT_FALSE(prove(s, guarantee(*s.policy, 1'000, seconds(1), {"default"})).proved);
}

}  // namespace
}  // namespace weir::design
