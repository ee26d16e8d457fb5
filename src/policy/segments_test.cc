#include "policy/segments.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace weir::policy {
namespace {

struct Cut {
  bool is_path = false;
  bool deeper = false;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> hashes;

  friend bool operator==(const Cut&, const Cut&) = default;
};

Cut seen(const Segments& segments) {
  Cut cut{segments.is_path(), segments.deeper(), {}, {}};
  for (std::size_t i = 0; segments.is_path() && i < segments.size(); ++i) {
    cut.texts.emplace_back(segments[i].text());
    cut.hashes.push_back(segments[i].hash);
  }
  return cut;
}

// What comes of a target that is normalised first, cut by the plainest means.
Cut model(std::string_view target, const PathRules& rules) {
  std::vector<char> out(kMaxPath);
  std::string_view rest = normalize_path(target, rules, out).value();
  Cut cut{rest.starts_with('/'), false, {}, {}};
  if (!cut.is_path) return cut;
  rest.remove_prefix(1);
  for (bool last = rest.empty(); !last;) {
    const RawSegment segment = next_segment(rest, false);
    last = segment.last;
    cut.deeper = cut.texts.size() == kMaxSegments;
    if (cut.deeper) break;
    cut.texts.emplace_back(segment.text);
    cut.hashes.push_back(TextHash::of(segment.text));
  }
  return cut;
}

std::vector<std::string> texts(std::string_view target, bool strip_slash = true) {
  Segments segments;
  EXPECT_TRUE(segments.cut_target(target, strip_slash)) << target;
  return seen(segments).texts;
}

using Texts = std::vector<std::string>;

TEST(Segments, CutsWhatIsNormalAlready) {
  EXPECT_EQ(texts("/"), Texts{});
  EXPECT_EQ(texts("/?x=/../%"), Texts{});
  EXPECT_EQ(texts("/v1/things10/1003"), (Texts{"v1", "things10", "1003"}));
  EXPECT_EQ(texts("/exactly8/file.tar.gz?q"), (Texts{"exactly8", "file.tar.gz"}));
  EXPECT_EQ(texts("/a!b\"c$d&'()*+,-:;=@[]^_`{|}~/x#"),
            (Texts{"a!b\"c$d&'()*+,-:;=@[]^_`{|}~", "x"}));
  EXPECT_EQ(texts("/a/"), (Texts{"a"}));
  EXPECT_EQ(texts("/a/", false), (Texts{"a", ""}));
  EXPECT_EQ(texts("/a/?q", false), (Texts{"a", ""}));
}

TEST(Segments, LeavesWhatARouterWouldChange) {
  for (const char* target :
       {"", "a", "*", "http://h/a", "//", "//a", "/a//b", "/.", "/./a", "/a/..", "/.well-known",
        "/a%20", "/12345678%", "/a b", "/caf\xc3\xa9", "/a\x7f", "/a\x01", "/1234567/."}) {
    Segments segments;
    EXPECT_FALSE(segments.cut_target(target, true)) << target;
  }
}

TEST(Segments, CutsAsNormalisingFirstDoes) {
  constexpr std::string_view kBytes = "aaabcd//.!\"$%&25F?#*~\x7f \xc3\xa9_-";
  std::mt19937 random(11);
  int whole = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string target = "/";
    const bool plain = random() % 2 == 0;
    for (std::size_t n = random() % 40; n > 0; --n) {
      target += kBytes[random() % (plain ? 8 : kBytes.size())];
    }
    const std::vector<char> exact(target.begin(),
                                  target.end());  // so that a sanitizer sees its end
    PathRules rules;
    rules.strip_slash = random() % 2 == 0;
    Segments segments;
    if (!segments.cut_target({exact.data(), exact.size()}, rules.strip_slash)) continue;
    ++whole;
    ASSERT_EQ(seen(segments), model(target, rules)) << target;
  }
  EXPECT_GT(whole, 20'000);
}

TEST(Segments, KeepsAsManyAsAPatternCanHave) {
  std::string target;
  for (std::size_t i = 0; i < kMaxSegments; ++i) target += "/a";
  Segments segments;
  ASSERT_TRUE(segments.cut_target(target, true));
  EXPECT_EQ(segments.size(), kMaxSegments);
  EXPECT_FALSE(segments.deeper());
  ASSERT_TRUE(segments.cut_target(target + "/b", true));
  EXPECT_EQ(segments.size(), kMaxSegments);
  EXPECT_TRUE(segments.deeper());
  EXPECT_FALSE(segments.cut_target(target + "/b/..", true));
  segments.cut(target + "/b");
  EXPECT_EQ(segments.size(), kMaxSegments);
  EXPECT_TRUE(segments.deeper());
}

}  // namespace
}  // namespace weir::policy
