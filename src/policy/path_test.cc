#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "policy/route.h"

namespace weir::policy {
namespace {

std::string normal(std::string_view target, const PathRules& rules = {}) {
  // An exact heap copy, so that a sanitizer sees a read past the end.
  const std::vector<char> exact(target.begin(), target.end());
  std::vector<char> out(kMaxPath);
  const auto path = normalize_path({exact.data(), exact.size()}, rules, out);
  return path ? std::string(*path) : "malformed";
}

struct Case {
  std::string_view target;
  std::string_view want;
};

TEST(NormalizePath, EverySpellingOfOnePathIsOnePath) {
  for (const char* target : {"/lang", "/lang/", "/x/../lang", "//lang", "/%6Cang", "/lang?x=1",
                             "/lang#top", "/./lang", "/lang/.", "/x/..//lang//", "/%6c%61%6e%67",
                             "/../lang", "/x/%2e%2E/lang", "http://host/lang", "/lang/x/.."}) {
    EXPECT_EQ(normal(target), "/lang") << target;
  }
  EXPECT_EQ(normal("/LANG"), "/LANG");
  PathRules fold;
  fold.fold_case = true;
  EXPECT_EQ(normal("/LANG", fold), "/lang");
  EXPECT_EQ(normal("/l%41ng", fold), "/lang");
  EXPECT_EQ(normal("/CAF%C3%89", fold), "/caf\xc3\xa9");
}

TEST(NormalizePath, DecodesOnce) {
  const Case cases[] = {
      {"/a%20b", "/a b"},
      {"/a%2fb", "/a%2Fb"},
      {"/a%2Fb", "/a%2Fb"},
      {"/a%5cb", "/a%5Cb"},
      {"/a%00b", "/a%00b"},
      {"/%252F", "/%2F"},
      {"/%2552", "/%52"},
      {"/%25", "/%"},
      {"/a%3Fb", "/a?b"},
      {"/%2e%2e%2fadmin", "/..%2Fadmin"},
      {"/%252e%252e/x", "/%2e%2e/x"},
      {"/a;v=1/b;w", "/a;v=1/b;w"},
      {"/..;/admin", "/..;/admin"},
      {"/caf%C3%A9", "/caf\xc3\xa9"},
      {"/caf\xc3\xa9", "/caf\xc3\xa9"},
      {"/a\\b", "/a\\b"},
      {"/a+b", "/a+b"},
  };
  for (const Case& c : cases) EXPECT_EQ(normal(c.target), c.want) << c.target;
}

TEST(NormalizePath, ResolvesDotsAndSlashes) {
  const Case cases[] = {
      {"/", "/"},
      {"//", "/"},
      {"/.", "/"},
      {"/..", "/"},
      {"/../../..", "/"},
      {"/a/b/../c", "/a/c"},
      {"/a/b/..", "/a"},
      {"/a//../b", "/b"},
      {"/a/./b/./", "/a/b"},
      {"/...", "/..."},
      {"/.a", "/.a"},
      {"/a/.../b", "/a/.../b"},
      {"/x/../admin", "/admin"},
      {"///a///b///", "/a/b"},
      {"/?q", "/"},
  };
  for (const Case& c : cases) EXPECT_EQ(normal(c.target), c.want) << c.target;
}

TEST(NormalizePath, KeepsTheLastSlashWhereTheRulesSay) {
  PathRules keep;
  keep.strip_slash = false;
  const Case cases[] = {{"/a/", "/a/"},     {"/a", "/a"},   {"/a//", "/a/"}, {"/a/.", "/a/"},
                        {"/a/b/..", "/a/"}, {"/a/..", "/"}, {"/", "/"},      {"/a/./b", "/a/b"}};
  for (const Case& c : cases) EXPECT_EQ(normal(c.target, keep), c.want) << c.target;
}

TEST(NormalizePath, DecodesTheEncodedSlashWhereTheRulesSay) {
  PathRules decode;
  decode.decode_encoded_slash = true;
  const Case cases[] = {{"/a%2Fb", "/a/b"},    {"/a%2f%2fb", "/a/b"},
                        {"/a%2F..%2Fb", "/b"}, {"/a%252Fb", "/a%2Fb"},
                        {"/a%2F", "/a"},       {"/%2e%2e%2fadmin", "/admin"},
                        {"/a%5Cb", "/a%5Cb"}};
  for (const Case& c : cases) EXPECT_EQ(normal(c.target, decode), c.want) << c.target;
}

TEST(NormalizePath, ReadsTheAbsoluteForm) {
  const Case cases[] = {{"http://host/path", "/path"},
                        {"HTTPS://host:8443/a/../b?x", "/b"},
                        {"http://host", "/"},
                        {"http://host?x", "/"},
                        {"*", "*"},
                        {"host:443", "malformed"},
                        {"://x/y", "malformed"},
                        {"1http://x/y", "malformed"},
                        {"**", "malformed"},
                        {"/http://x/y", "/http:/x/y"}};
  for (const Case& c : cases) EXPECT_EQ(normal(c.target), c.want) << c.target;
}

TEST(NormalizePath, CallsTheRestMalformed) {
  using namespace std::string_view_literals;
  const std::string_view cases[] = {
      ""sv,      "?x=1"sv,    "lang"sv,      "/a%"sv,        "/a%2"sv,       "/a%zz"sv, "/%-1"sv,
      "/a\0b"sv, "/a\nb"sv,   "/a%0Ab"sv,    "/a%7F"sv,      "/a\x7f"sv,     "/a%ff"sv, "/\xff"sv,
      "/%C3"sv,  "/%C0%AF"sv, "/%ff/../a"sv, "/\xc3/\xa9"sv, "/%ED%A0%80"sv, "\\a"sv,   " /a"sv,
  };
  for (const auto& target : cases) EXPECT_EQ(normal(target), "malformed") << target;
}

TEST(NormalizePath, IsBoundedAtEightKibibytes) {
  EXPECT_EQ(normal("/" + std::string(kMaxPath - 1, 'a')).size(), kMaxPath);
  EXPECT_EQ(normal("/" + std::string(kMaxPath, 'a')), "malformed");
  EXPECT_EQ(normal("/a?" + std::string(100'000, 'q')), "/a");  // a query is no path
  std::string dots;
  for (int i = 0; i < 2'000; ++i) dots += "/a/..";
  EXPECT_EQ(normal(dots), "malformed");
  EXPECT_EQ(normal(dots.substr(0, 5 * 1'600)), "/");
  EXPECT_EQ(normal(std::string(kMaxPath, '/')), "/");
}

TEST(NormalizePath, NeverWritesMoreThanItReadOrAnotherShape) {
  std::mt19937 random(3);
  const std::string_view alphabet = "/./%2FfeE5cC09aA;?#\xc3\xa9\xc8\xba";
  for (int i = 0; i < 100'000; ++i) {
    std::string target = "/";
    for (std::size_t n = random() % 24; n > 0; --n) target += alphabet[random() % alphabet.size()];
    PathRules rules{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    const std::string path = normal(target, rules);
    if (path == "malformed") continue;
    ASSERT_LE(path.size(), target.size()) << target;
    ASSERT_EQ(path[0], '/') << target;
    ASSERT_EQ(path.find("//"), std::string::npos) << target;
    ASSERT_EQ((path + "/").find("/../"), std::string::npos) << target;
    ASSERT_EQ((path + "/").find("/./"), std::string::npos) << target;
    if (rules.strip_slash && path.size() > 1) {
      ASSERT_NE(path.back(), '/') << target;
    }
  }
}

}  // namespace
}  // namespace weir::policy
