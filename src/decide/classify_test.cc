#include "decide/classify.h"

#include <gtest/gtest.h>

#include "decide/testing/harness.h"

namespace weir::decide {
namespace {

using testing::Ask;
using testing::Harness;

constexpr std::string_view kPolicy = R"(version: 1
tiers: {t: {}}
identity: {keys: {service: {from: "header:x-service"}}}
classes:
  - {name: admin, match: ["/v1/admin/**"], when: {service: console}}
  - {name: jobs, when: {service: jobs}}
  - {name: user, match: ["GET /v1/users/{id}"]}
  - {name: rest, match: ["/v1/**"]}
limits:
  - {name: all, key: [ip, class], rate: 1000/s}
)";

struct Case {
  const char* name;
  const char* method;
  const char* target;
  const char* service;
  const char* expected;
};

TEST(Classify, TheEarliestClassThatMatchesWins) {
  const Case cases[] = {
      {"a path", "GET", "/v1/users/7", "", "user"},
      {"HEAD counts as GET", "HEAD", "/v1/users/7", "", "user"},
      {"another method", "DELETE", "/v1/users/7", "", "rest"},
      {"a path with an attribute", "GET", "/v1/admin/x", "console", "admin"},
      {"the attribute does not hold", "GET", "/v1/admin/x", "other", "rest"},
      {"an attribute before a later path", "GET", "/v1/users/7", "jobs", "jobs"},
      {"nothing matches", "GET", "/other", "", "default"},
      {"no path", "", "", "", "default"},
      {"no path, an attribute", "", "", "jobs", "jobs"},
      {"cannot be parsed", "GET", "/v1/%00\x01%zz", "", "malformed"},
      {"not a path", "GET", "v1/users/7", "", "malformed"},
      {"doubled slashes", "GET", "//v1///users/7", "", "user"},
      {"dot segments", "GET", "/x/../v1/users/7", "", "user"},
      {"an escape", "GET", "/v1/%75sers/7", "", "user"},
      {"a query", "GET", "/v1/users/7?x=/v1/admin/y", "", "user"},
      {"a trailing slash", "GET", "/v1/users/7/", "", "user"},
  };
  Harness h(kPolicy);
  for (const Case& c : cases) {
    Ask ask;
    if (*c.service != '\0') ask.headers = {{"X-Service", c.service}};
    EXPECT_EQ(h.class_name(h.ask(c.method, c.target, ask)), c.expected) << c.name;
  }
}

TEST(Classify, EverySpellingOfAPathSharesOneCounter) {  // C24
  Harness h(
      "version: 1\ntiers: {t: {}}\nclasses: [{name: lang, match: [/lang]}]\n"
      "limits:\n  - {name: l, classes: [lang], key: [ip], rate: 3/min}\n"
      "  - {name: d, key: [ip], except: [lang], rate: 1000/s}\n");
  int admitted = 0;
  for (const char* spelling :
       {"/lang", "/lang/", "/x/../lang", "//lang", "/%6Cang", "/lang?x=1", "/./lang", "/lang#f"}) {
    for (int i = 0; i < 8; ++i) {
      const Decision d = h.ask("GET", spelling);
      EXPECT_EQ(h.class_name(d), "lang") << spelling;
      admitted += d.admit ? 1 : 0;
    }
  }
  EXPECT_EQ(admitted, 3);
  EXPECT_EQ(h.class_name(h.ask("GET", "/LANG")), "default") << "paths.case: exact";
}

}  // namespace
}  // namespace weir::decide
