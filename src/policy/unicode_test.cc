#include "policy/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::policy {
namespace {

std::string folded(std::string text) {
  text.resize(fold_case(std::span(text.data(), text.size())));
  return text;
}

TEST(Unicode, AcceptsOnlyTheShortestForms) {
  EXPECT_TRUE(valid_utf8(""));
  EXPECT_TRUE(valid_utf8("plain"));
  EXPECT_TRUE(valid_utf8("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  const char* bad[] = {"\x80",
                       "\xc3",
                       "\xc0\xaf",
                       "\xe0\x80\xaf",
                       "\xed\xa0\x80",
                       "\xf5\x80\x80\x80",
                       "\xf4\x90\x80\x80",
                       "\xff",
                       "\xe2\x82",
                       "\xc3("};
  for (const char* text : bad) EXPECT_FALSE(valid_utf8(text)) << text;
}

TEST(Unicode, FoldsCaseWithoutGrowing) {
  EXPECT_EQ(folded("Lang/LANG/lang"), "lang/lang/lang");
  EXPECT_EQ(folded("\xc3\x84\xc3\xa4"), "\xc3\xa4\xc3\xa4");  // Ä ä
  EXPECT_EQ(folded("\xce\xa3\xcf\x82"), "\xcf\x83\xcf\x83");  // Σ and final ς
  EXPECT_EQ(folded("\xd0\x96"), "\xd0\xb6");                  // Ж
  EXPECT_EQ(folded("\xe2\x84\xaa\xc5\xbf"), "ks");            // Kelvin sign, long s
  EXPECT_EQ(folded("\xc8\xba"), folded("\xe2\xb1\xa5"));      // Ⱥ and its longer lower case
  EXPECT_EQ(folded("\xf0\x90\x90\x80"), "\xf0\x90\x90\xa8");  // Deseret
  EXPECT_EQ(folded("\xff\xc3"), "\xff\xc3");                  // not UTF-8: as it was
  EXPECT_EQ(folded("\xe6\x97\xa5"), "\xe6\x97\xa5");          // no case
}

TEST(Unicode, FoldingTwiceIsFoldingOnce) {
  for (std::uint32_t c = 0x80; c < 0x11000; ++c) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    std::string text;
    if (c < 0x800) {
      text = {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
    } else if (c < 0x10000) {
      text = {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
              static_cast<char>(0x80 | (c & 0x3f))};
    } else {
      text = {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
              static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
    }
    ASSERT_TRUE(valid_utf8(text)) << c;
    const std::string once = folded(text);
    ASSERT_LE(once.size(), text.size());
    ASSERT_EQ(folded(once), once) << c;
  }
}

}  // namespace
}  // namespace weir::policy
