// How a finding is shown beside the line that it is about.
#include "policy/findings.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::policy {
namespace {

TEST(Findings, ALongLineIsCutAroundTheCaret) {
  const std::string text = "version: 1\n" + std::string(100'000, 'x') + "\n";
  const std::string shown = with_caret({Severity::error, "", "p", {2, 50'001}, "what", ""}, text);
  EXPECT_LT(shown.size(), 600u);
  const std::string before = "..." + std::string(60, 'x');
  EXPECT_NE(shown.find("   2 | " + before + std::string(120, 'x') + "...\n"), std::string::npos);
  EXPECT_NE(shown.find("     | " + std::string(63, ' ') + "^~"), std::string::npos);
}

TEST(Findings, ALineWithControlCharactersSendsNoneToTheTerminal) {
  const std::string text =
      "a: \x1b[2J\xc2\x9b 1m\xff \x7f"
      "b\tc zz\n";
  const std::string shown = with_caret({Severity::error, "", "p", {1, 17}, "what", ""}, text);
  EXPECT_EQ(shown,
            "p:1:17: error: what\n"
            "   1 | a: \ufffd[2J\ufffd 1m\ufffd \ufffd"
            "b\tc zz\n"
            "     |                \t^\n");
}

}  // namespace
}  // namespace weir::policy
