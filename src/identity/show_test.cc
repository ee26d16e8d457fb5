#include "identity/show.h"

#include <gtest/gtest.h>

namespace weir::identity {
namespace {

using policy::Show;

TEST(ShowValue, HashIsTheBeginningOfSha256) {
  EXPECT_EQ(show_value(Show::hash, "abc"), "sha256:ba7816bf8f01cfea");
  EXPECT_EQ(show_value(Show::hash, ""), "sha256:e3b0c44298fc1c14");
}

TEST(ShowValue, Last4NeverShowsMostOfAShortValue) {
  EXPECT_EQ(show_value(Show::last4, "wk_0123456789abcd"), "...abcd");
  EXPECT_EQ(show_value(Show::last4, "0123456789abc"), "...9abc");
  EXPECT_EQ(show_value(Show::last4, "0123456789ab"), show_value(Show::hash, "0123456789ab"));
  EXPECT_EQ(show_value(Show::last4, "abc"), "sha256:ba7816bf8f01cfea");
  EXPECT_EQ(show_value(Show::last4, "0123456789\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"),
            "...\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
}

TEST(ShowValue, PlainIsPrintable) {
  EXPECT_EQ(show_value(Show::plain, "caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(show_value(Show::plain, std::string_view("a\0\r\n\x7f\xff z", 8)),
            "a\\x00\\x0d\\x0a\\x7f\\xff z");
  EXPECT_EQ(show_value(Show::plain, "\xc2\x85"), "\\xc2\\x85");  // a C1 control
  EXPECT_EQ(show_value(Show::last4, std::string(20, '\n')), "...\\x0a\\x0a\\x0a\\x0a");
}

}  // namespace
}  // namespace weir::identity
