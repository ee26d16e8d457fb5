// Which tier an answer tells the caller to move to, and what it leaves unsaid.
#include "engine/view.h"

#include <gtest/gtest.h>

#include "decide/testing/harness.h"

namespace weir::engine {
namespace {

using decide::Decision;
using decide::testing::account_line;
using decide::testing::Harness;

constexpr std::string_view kPolicy = R"(version: 1
tiers:
  anonymous:  {}
  free:       {label: Free, public: true, upgrade_url: "https://acme.example/up"}
  secret:     {label: Secret}
  pro:        {label: Pro, public: true, upgrade_url: "https://acme.example/ent"}
  enterprise: {label: Enterprise, public: true}
accounts: none.csv
limits:
  - name: plan
    key: [client]
    tiers: {anonymous: 1/min, free: 2/min, secret: 9/min, pro: 3/min, enterprise: unlimited}
  - {name: flat, key: [client], rate: 100/min}
  - {name: shadow, key: [client], rate: 1/h, mode: shadow}
)";

answer::View view_of(Harness& h, const Decision& d) {
  answer::View view;
  fill_view(view, *h.held.back(), d);
  return view;
}

TEST(View, NamesTheNextPublicTierThatIsHigher) {
  struct Case {
    const char* tier;
    const char* label;
    const char* url;
  };
  const Case cases[] = {{"anonymous", "Free", "https://acme.example/up"},
                        {"free", "Pro", "https://acme.example/up"},
                        {"secret", "Enterprise", ""},
                        {"pro", "Enterprise", "https://acme.example/ent"},
                        {"enterprise", "", ""}};
  for (const Case& c : cases) {
    Harness h(kPolicy, account_line("k", c.tier, "a"));
    const answer::View view = view_of(h, h.ask("GET", "/", {.api_key = "k"}));
    EXPECT_EQ(view.upgrade_url, c.url) << c.tier;
    EXPECT_EQ(view.upgrade_label, *c.url == '\0' ? "" : c.label) << c.tier;
  }
}

TEST(View, ShadowLimitsAreInNoHeader) {
  Harness h(kPolicy, account_line("k", "free", "a"));
  const answer::View view = view_of(h, h.ask("GET", "/"));
  EXPECT_EQ(view.count, 2u);
  for (const answer::LimitView& l : view.limits()) EXPECT_NE(l.name, "shadow");
  EXPECT_EQ(view.verdicts[view.governing].name, "plan");
}

TEST(View, PublishesTheBurstAndTheTimeItFillsIn) {
  Harness h(
      "version: 1\ntiers: {t: {}}\nlimits:\n"
      "  - {name: b, key: [ip], rate: 10/s, burst: 25}\n"
      "  - {name: w, key: [ip], algorithm: fixed_window, limit: 7, window: 90s}\n");
  const answer::View view = view_of(h, h.ask("GET", "/"));
  EXPECT_EQ(view.verdicts[0].quota, 25u);
  EXPECT_EQ(view.verdicts[0].window, seconds(3));
  EXPECT_EQ(view.verdicts[1].quota, 7u);
  EXPECT_EQ(view.verdicts[1].window, seconds(90));
}

}  // namespace
}  // namespace weir::engine
