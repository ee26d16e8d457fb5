#include "policy/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "policy/segments.h"

namespace weir::policy {
namespace {

Pattern pattern(std::string_view text) {
  Result<Pattern> parsed = Pattern::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Pattern{};
}

// A table whose classes are the positions of the patterns.
RouteTable table_of(const std::vector<std::string_view>& patterns, const PathRules& rules = {}) {
  RouteTable table;
  table.set_rules(rules);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    table.add(pattern(patterns[i]), static_cast<std::uint16_t>(i));
  }
  return table;
}

std::optional<RouteTable::Match> match(const RouteTable& table, std::string_view method,
                                       std::string_view target, std::uint32_t from = 0) {
  Segments path;
  EXPECT_TRUE(table.cut(target, path)) << target;
  return table.match(method, path, from);
}

int route(const RouteTable& table, std::string_view method, std::string_view target) {
  Segments path;
  if (!table.cut(target, path)) return -2;
  const auto match = table.match(method, path);
  return match ? match->class_id : -1;
}

TEST(Pattern, Parses) {
  const Pattern get = pattern("GET /v1/users/{id}");
  EXPECT_EQ(get.method, "GET");
  EXPECT_EQ(get.path, "/v1/users/{id}");
  EXPECT_EQ(get.segments, (std::vector<std::string>{"v1", "users", "{id}"}));
  EXPECT_FALSE(get.any_rest);
  const Pattern rest = pattern("/v1/**");
  EXPECT_EQ(rest.method, "");
  EXPECT_EQ(rest.segments, (std::vector<std::string>{"v1"}));
  EXPECT_TRUE(rest.any_rest);
  EXPECT_TRUE(pattern("/").segments.empty());
  EXPECT_TRUE(pattern("/**").any_rest);
  EXPECT_EQ(pattern("/a/*/b").segments[1], "*");
  EXPECT_EQ(pattern("/a/").segments.back(), "");
  EXPECT_EQ(pattern("VERSION-CONTROL /a").method, "VERSION-CONTROL");
  EXPECT_EQ(pattern("/caf\xc3\xa9/%2A/users:batch").segments[1], "%2A");
}

TEST(Pattern, RefusesWithTheReason) {
  struct Case {
    std::string text;
    const char* why;
  };
  const Case cases[] = {
      {"", "optional method and a path"},
      {"GET", "optional method and a path"},
      {"v1/users", "begins with `/`"},
      {"GET v1/users", "begins with `/`"},
      {"get /v1", "upper-case"},
      {"GET  /v1", "begins with `/`"},
      {" /v1", "begins with `/`"},
      {"HEAD /v1", "HEAD counts as GET"},
      {"* /v1", "any method"},
      {"/v1/**/x", "only allowed as the last"},
      {"/v1//x", "empty segment"},
      {"/v1/a*", "whole segment"},
      {"/v1/{a}{b}", "plain name"},
      {"/v1/x{a}", "whole segment"},
      {"/v1/{}", "plain name"},
      {"/v1/{a", "whole segment"},
      {"/v1/:id", "write `{id}`"},
      {"/v1/../x", "never reach"},
      {"/v1/%2e", "never reach"},
      {"/v1/%zz", "bad % escape"},
      {"/v1/\xff", "not UTF-8"},
      {"/v1/%0a", "control character"},
      {"/v1?x=1", "query string"},
      {"/v1/a b", "%20"},
      {"/" + std::string(9'000, 'a'), "8192"},
      {[] {
         std::string deep;
         for (int i = 0; i < 129; ++i) deep += "/a";
         return deep;
       }(),
       "128 segments"},
  };
  for (const Case& c : cases) {
    const auto parsed = Pattern::parse(c.text);
    ASSERT_FALSE(parsed) << c.text;
    EXPECT_NE(parsed.error().message.find(c.why), std::string::npos) << parsed.error().message;
    EXPECT_LT(parsed.error().message.size(), 300U);
  }
}

TEST(RouteTable, FirstMatchInFileOrderWins) {
  const RouteTable table = table_of({"GET /healthz", "POST /v1/login", "GET /v1/search",
                                     "/v1/users/{id}", "/v1/users/me", "GET /v1/**", "/v1/**"});
  EXPECT_EQ(route(table, "GET", "/healthz"), 0);
  EXPECT_EQ(route(table, "HEAD", "/healthz"), 0);
  EXPECT_EQ(route(table, "POST", "/healthz"), -1);
  EXPECT_EQ(route(table, "POST", "/v1/login"), 1);
  EXPECT_EQ(route(table, "GET", "/v1/login"), 5);
  EXPECT_EQ(route(table, "DELETE", "/v1/login"), 6);
  EXPECT_EQ(route(table, "GET", "/v1/users/me"), 3);
  EXPECT_EQ(route(table, "GET", "/v1/users/me/x"), 5);
  EXPECT_EQ(route(table, "PUT", "/v1"), 6);  // ** may be empty
  EXPECT_EQ(route(table, "GET", "/v2"), -1);
  EXPECT_EQ(route(table, "GET", "/"), -1);
  EXPECT_EQ(route(table, "OPTIONS", "*"), -1);
  EXPECT_EQ(route(table, "get", "/healthz"), -1);  // methods have case
}

TEST(RouteTable, PassesOverPatternsBeforeFrom) {
  const RouteTable table = table_of({"/a", "/{x}", "/a", "GET /**"});
  std::vector<std::uint32_t> orders;
  std::uint32_t from = 0;
  while (const auto found = match(table, "GET", "/a", from)) {
    orders.push_back(found->order);
    from = found->order + 1;
  }
  EXPECT_EQ(orders, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(RouteTable, RootAndRest) {
  const RouteTable table = table_of({"/", "/a/**", "/**"});
  EXPECT_EQ(route(table, "GET", "/"), 0);
  EXPECT_EQ(route(table, "GET", "/a"), 1);
  EXPECT_EQ(route(table, "GET", "/a/b/c/d/e/f"), 1);
  EXPECT_EQ(route(table, "GET", "/b"), 2);
  EXPECT_EQ(match(RouteTable(), "GET", "/"), std::nullopt);
}

TEST(RouteTable, PatternsFollowTheRulesOfPaths) {
  PathRules keep;
  keep.strip_slash = false;
  const RouteTable strict = table_of({"/a/", "/a", "/a/*"}, keep);
  EXPECT_EQ(route(strict, "GET", "/a/"), 0);
  EXPECT_EQ(route(strict, "GET", "/a"), 1);
  EXPECT_EQ(route(strict, "GET", "/a/b"), 2);
  EXPECT_EQ(route(strict, "GET", "/a/b/"), -1);

  PathRules fold;
  fold.fold_case = true;
  EXPECT_EQ(route(table_of({"/Lang"}, fold), "GET", "/lANG"), 0);

  PathRules decode;
  decode.decode_encoded_slash = true;
  EXPECT_EQ(route(table_of({"/a%2Fb/{c}"}, decode), "GET", "/a/b%2fc"), 0);
  EXPECT_EQ(route(table_of({"/a%2fb"}), "GET", "/a%2Fb"), 0);
  EXPECT_EQ(route(table_of({"/a%2fb"}), "GET", "/a/b"), -1);

  EXPECT_EQ(route(table_of({"/caf%C3%A9/%2A"}), "GET", "/caf\xc3\xa9/*"), 0);
  EXPECT_EQ(route(table_of({"/caf%C3%A9/%2A"}), "GET", "/caf\xc3\xa9/x"), -1);
}

// C24 of the catalogue of limiter faults: router and limiter disagree about the path.
TEST(RouteTable, EverySpellingOfARouteReachesItsClass) {
  const RouteTable table = table_of({"/lang"});
  for (const char* target :
       {"/lang", "/lang/", "/x/../lang", "//lang", "/%6Cang", "/lang?x=1", "/lang//", "/./lang"}) {
    EXPECT_EQ(route(table, "GET", target), 0) << target;
  }
  EXPECT_EQ(route(table, "GET", "/LANG"), -1);
  PathRules fold;
  fold.fold_case = true;
  EXPECT_EQ(route(table_of({"/lang"}, fold), "GET", "/LANG"), 0);
}

// Bypasses that happened to other limiters, by name.
TEST(RouteBypass, BetterAuthDoubleSlash) {
  EXPECT_EQ(route(table_of({"POST /sign-in"}), "POST", "//sign-in"), 0);
}
TEST(RouteBypass, BetterAuthAndRackAttackTrailingSlash) {
  EXPECT_EQ(route(table_of({"POST /login"}), "POST", "/login/"), 0);
  EXPECT_EQ(route(table_of({"POST /login/"}), "POST", "/login"), 0);
}
TEST(RouteBypass, EnvoyDotSegments) {
  EXPECT_EQ(route(table_of({"/admin"}), "GET", "/x/../admin"), 0);
  EXPECT_EQ(route(table_of({"/admin"}), "GET", "/x/%2e%2e/admin"), 0);
}
TEST(RouteBypass, IstioEncodedSlash) {
  PathRules decode;
  decode.decode_encoded_slash = true;
  EXPECT_EQ(route(table_of({"/a/admin"}, decode), "GET", "/a%2Fadmin"), 0);
  EXPECT_EQ(route(table_of({"/a/admin"}), "GET", "/a//admin"), 0);
}
TEST(RouteBypass, CoderMergedSlashes) {
  EXPECT_EQ(route(table_of({"/api/v2/users"}), "GET", "/api//v2///users"), 0);
}
TEST(RouteBypass, OutlineCaseInsensitiveRouter) {
  PathRules fold;
  fold.fold_case = true;
  EXPECT_EQ(route(table_of({"POST /auth/email"}, fold), "POST", "/AUTH/Email"), 0);
}
TEST(RouteBypass, RateLimitBundlePercentEncoding) {
  EXPECT_EQ(route(table_of({"/login"}), "GET", "/%6c%6F%67in"), 0);
}
TEST(RouteBypass, HaproxyTruncatedPaths) {
  const RouteTable table = table_of({"/abcdefgh1", "/abcdefgh2"});
  EXPECT_EQ(route(table, "GET", "/abcdefgh1"), 0);
  EXPECT_EQ(route(table, "GET", "/abcdefgh2"), 1);
}
TEST(RouteBypass, CloudflareExactRuleMangledPath) {
  for (const char* target : {"/./login", "/login/.", "/;/../login", "/login?", "/login#x"}) {
    EXPECT_EQ(route(table_of({"/login"}), "GET", target), 0) << target;
  }
}
TEST(RouteBypass, PathParametersAreWildcards) {
  const RouteTable table = table_of({"/verify/{code}"});
  EXPECT_EQ(route(table, "GET", "/verify/1"), 0);
  EXPECT_EQ(route(table, "GET", "/verify/a%2Fb"), 0);
  EXPECT_EQ(route(table, "GET", "/verify"), -1);
}

// The model: every pattern against every path, segment by segment.
std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  if (path == "/") return parts;
  std::size_t from = 1;
  for (;;) {
    const std::size_t slash = path.find('/', from);
    parts.emplace_back(path.substr(from, slash - from));
    if (slash == std::string_view::npos) return parts;
    from = slash + 1;
  }
}

bool model_matches(const Pattern& p, std::string_view method, std::string_view path) {
  if (!p.method.empty() && p.method != (method == "HEAD" ? "GET" : method)) return false;
  const auto parts = split(path);
  if (parts.size() < p.segments.size()) return false;
  if (!p.any_rest && parts.size() != p.segments.size()) return false;
  for (std::size_t i = 0; i < p.segments.size(); ++i) {
    const bool any = p.segments[i] == "*" || p.segments[i][0] == '{';
    if (!any && p.segments[i] != parts[i]) return false;
  }
  return true;
}

std::string random_path(std::mt19937& random, unsigned depth, bool wild) {
  std::string text;
  for (std::size_t n = random() % (depth + 1); n > 0; --n) {
    const char* words[] = {"/a", "/b", "/c", "/*", "/{x}"};
    text += words[random() % (wild ? 5 : 3)];
  }
  return text.empty() ? "/" : text;
}

TEST(RouteTable, AgreesWithTheNaiveScan) {
  std::mt19937 random(5);
  const char* methods[] = {"", "GET", "POST"};
  const char* asked[] = {"GET", "HEAD", "POST", "PUT"};
  for (int round = 0; round < 200; ++round) {
    RouteTable table;
    std::vector<Pattern> patterns;
    for (std::size_t n = 1 + random() % 30; n > 0; --n) {
      std::string text = random_path(random, 4, true);
      if (random() % 4 == 0) text += text == "/" ? "**" : "/**";
      const std::string method = methods[random() % 3];
      patterns.push_back(pattern(method.empty() ? text : method + " " + text));
      table.add(patterns.back(), static_cast<std::uint16_t>(patterns.size() - 1));
    }
    for (int i = 0; i < 60; ++i) {
      const std::string path = random_path(random, 6, false);
      const std::string_view method = asked[random() % 4];
      const auto from = static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 30 : 0);
      std::uint32_t want = from;
      while (want < patterns.size() && !model_matches(patterns[want], method, path)) ++want;
      const auto got = match(table, method, path, from);
      ASSERT_EQ(got.has_value(), want < patterns.size()) << method << " " << path;
      if (got) {
        ASSERT_EQ(got->order, want) << method << " " << path;
      }
    }
  }
}

// Lint's answers against all short paths: covered and overlapping sets really are so.
TEST(RouteTable, ShadowedAndOverlappingAgreeWithEnumeration) {
  std::vector<std::string> paths{"/"};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (std::count(paths[i].begin(), paths[i].end(), '/') > 3) continue;
    for (const char* word : {"/a", "/b", "/c", "/z"}) {
      paths.push_back((paths[i] == "/" ? "" : paths[i]) + word);
      if (paths.size() > 340) break;
    }
  }
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    RouteTable table;
    std::vector<Pattern> patterns;
    for (int i = 0; i < 2; ++i) {
      std::string text = random_path(random, 3, true);
      if (random() % 3 == 0) text += text == "/" ? "**" : "/**";
      const char* methods[] = {"", "GET ", "POST "};
      patterns.push_back(pattern(methods[random() % 3] + text));
      table.add(patterns.back(), static_cast<std::uint16_t>(i));
    }
    int both = 0;
    int only[2] = {0, 0};
    for (const std::string& path : paths) {
      for (const char* method : {"GET", "POST", "PUT"}) {
        const bool first = model_matches(patterns[0], method, path);
        const bool second = model_matches(patterns[1], method, path);
        both += first && second;
        only[0] += first && !second;
        only[1] += second && !first;
      }
    }
    const std::string shown =
        patterns[0].method + patterns[0].path + " then " + patterns[1].method + patterns[1].path;
    EXPECT_EQ(table.shadowed().size(), only[1] == 0 ? 1U : 0U) << shown;
    EXPECT_EQ(table.overlapping().size(), both > 0 && only[0] > 0 && only[1] > 0 ? 1U : 0U)
        << shown;
  }
}

TEST(RouteTable, NamesWhatIsShadowedAndWhatOverlaps) {
  const RouteTable table = table_of({"/v1/**", "GET /v1/search", "/{a}/x", "/y/{b}"});
  const auto shadowed = table.shadowed();
  ASSERT_EQ(shadowed.size(), 1U);
  EXPECT_EQ(shadowed[0].later, 1U);
  EXPECT_EQ(shadowed[0].earlier, 0U);
  const auto overlapping = table.overlapping();
  ASSERT_EQ(overlapping.size(), 2U);  // /v1/x, and /y/x
  EXPECT_EQ(overlapping[0].later, 2U);
  EXPECT_EQ(overlapping[0].earlier, 0U);
  EXPECT_EQ(overlapping[1].later, 3U);
  EXPECT_EQ(overlapping[1].earlier, 2U);
}

// Alternatives at every level: 2^14 patterns of `a` or `*`, and one path that fits all of them but
// for its end. A walk visits each node at most once.
TEST(RouteTable, WildcardsAtEveryLevelStayCheap) {
  RouteTable table;
  constexpr unsigned kLevels = 14;
  for (unsigned bits = 0; bits < 1U << kLevels; ++bits) {
    std::string text;
    for (unsigned i = 0; i < kLevels; ++i) text += bits >> i & 1 ? "/a" : "/*";
    table.add(pattern(text + "/end"), 0);
  }
  std::string path;
  for (unsigned i = 0; i < kLevels; ++i) path += "/a";
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(match(table, "GET", path + "/no"));
  EXPECT_TRUE(match(table, "GET", path + "/end"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(RouteTable, DeepPatternsAndLongPathsStayCheap) {
  RouteTable table;
  std::string stars;
  for (int i = 0; i < 128; ++i) {
    stars += "/*";
    table.add(pattern(stars + (i < 127 ? "/a" : "")), static_cast<std::uint16_t>(i));
  }
  std::string path;
  while (path.size() + 2 <= kMaxPath) path += "/b";
  EXPECT_FALSE(match(table, "GET", path));
  EXPECT_EQ(match(table, "GET", std::string_view(path).substr(0, 256))->class_id, 127);
}

}  // namespace
}  // namespace weir::policy
