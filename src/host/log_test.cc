#include "host/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::host {
namespace {

TEST(Log, WritesOneLogfmtLineAnEvent) {
  testing::internal::CaptureStderr();
  log(LogLevel::warning, "a \"b\"\nc", {{"n", 7}, {"text", "x=y"}, {"plain", "p"}, {"none", ""}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("ts=....-..-..T..:..:..\\....Z level=warning msg=\"a "
                                    "\\\\\"b\\\\\"\\\\nc\" n=7 text=\"x=y\" plain=p none=\"\"\n"));
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  set_log_level(LogLevel::error);
  testing::internal::CaptureStderr();
  log(LogLevel::info, "quiet");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  set_log_level(LogLevel::info);
}

TEST(Log, KnowsItsLevels) {
  EXPECT_TRUE(parse_log_level("debug"));
  EXPECT_TRUE(parse_log_level("warn"));
  EXPECT_FALSE(parse_log_level("verbose"));
}

}  // namespace
}  // namespace weir::host
