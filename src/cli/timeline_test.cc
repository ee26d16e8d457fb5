#include "cli/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace weir::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kPolicy =
    "policy:\n"
    "  version: 1\n"
    "  limits:\n"
    "    - {name: a, key: [ip], rate: 5/s, burst: 10}\n"
    "request: {client_ip: 192.0.2.1}\n"
    "steps:\n";

TimelineResult run(const std::string& steps) {
  LoadedTimeline loaded = load_timeline_text(std::string(kPolicy) + steps, "t.yaml");
  for (const policy::Finding& f : loaded.findings) ADD_FAILURE() << f.text();
  if (!loaded.timeline) return {};
  return run_timeline(*loaded.timeline);
}

std::string first_finding(const std::string& text) {
  const LoadedTimeline loaded = load_timeline_text(text, "t.yaml");
  EXPECT_FALSE(loaded.timeline.has_value());
  return loaded.findings.empty() ? "" : loaded.findings.front().text();
}

std::string finding_in_step(const std::string& step) {
  return first_finding(std::string(kPolicy) + "  - " + step + "\n");
}

TEST(Timeline, PassesWhereEverythingIsAsExpected) {
  const TimelineResult r = run(
      "  - {at: 0s, repeat: 12, expect: {admit: 10, deny: 2, denied_by: {a: 2}, governing: a}}\n"
      "  - {at: +200ms, expect: {admit: 1, limits: {a: {remaining: 0, admit: true}}}}\n"
      "  - {at: 1s, request: {cost: 20}, expect: {reason: cost_exceeds_limit, retry_after: "
      "never}}\n");
  EXPECT_TRUE(r.mismatches.empty()) << r.mismatches.front().what;
  EXPECT_EQ(r.steps, 3u);
  EXPECT_EQ(r.requests, 14u);
}

TEST(Timeline, EachExpectationCanFail) {
  const TimelineResult r = run(
      "  - at: 0s\n"
      "    repeat: 11\n"
      "    expect: {admit: 9, deny: 0, status: 200, reason: admitted, class: x, tier: x, "
      "governing: "
      "b, limit: 9, remaining: 1, retry_after: 1s, delay: 1s, delays: [1s], headers: {Retry-After: "
      "7, RateLimit: null}, body: {title: x, error.code: x}, denied_by: {a: 2}, limits: {a: {wait: "
      "1s}, gone: {remaining: 1}}, account: x}\n");
  EXPECT_EQ(r.mismatches.size(), 20u);
  for (const Mismatch& m : r.mismatches) {
    EXPECT_NE(m.expected, m.got) << m.what;
    EXPECT_EQ(m.at.line, 9u);
  }
}

TEST(Timeline, TimeMayNotGoBack) {
  const TimelineResult r =
      run("  - {at: 2s, expect: {admit: 1}}\n  - {at: 1s, expect: {admit: 1}}\n");
  ASSERT_EQ(r.mismatches.size(), 1u);
  EXPECT_EQ(r.mismatches[0].what, "at");
}

TEST(Timeline, FillsTheVariableOfARange) {
  const TimelineResult r =
      run("  - {at: 0s, for: {n: 1..3}, repeat: 11, request: {client_ip: \"192.0.2.{n}\"}, expect: "
          "{admit: 30, deny: 3}}\n");
  EXPECT_TRUE(r.mismatches.empty());
}

TEST(Timeline, AReloadKeepsTheCounts) {
  const std::string file = ::testing::TempDir() + "/timeline_reload.yaml";
  std::ofstream(file) << "version: 1\nlimits:\n  - {name: a, key: [ip], rate: 5/s, burst: 12}\n";
  const TimelineResult r =
      run("  - {at: 0s, repeat: 11, expect: {admit: 10, deny: 1}}\n  - {reload: " + file +
          "}\n  - {at: 1s, repeat: 8, expect: {admit: 7, limit: 12}}\n");
  EXPECT_TRUE(r.mismatches.empty()) << r.mismatches.front().got;
  EXPECT_THAT(finding_in_step("{reload: nowhere.yaml}"), HasSubstr("nowhere.yaml"));
}

TEST(Timeline, AWallStepMovesWindowsOfTheCalendarOnly) {
  LoadedTimeline loaded = load_timeline_text(
      "policy:\n  version: 1\n  limits:\n"
      "    - {name: a, key: [ip], algorithm: fixed_window, limit: 1, window: 1m}\n"
      "start: 2026-11-30T00:00:00Z\n"
      "request: {client_ip: 192.0.2.1}\n"
      "steps:\n"
      "  - {at: 0s, repeat: 2, expect: {admit: 1, deny: 1, retry_after: 1m}}\n"
      "  - {wall_step: 1m}\n"
      "  - {at: 0s, expect: {admit: 1}}\n",
      "t.yaml");
  ASSERT_TRUE(loaded.timeline);
  EXPECT_TRUE(run_timeline(*loaded.timeline).mismatches.empty());
}

TEST(Timeline, SaysThatARedisIsNotAsked) {
  const LoadedTimeline loaded = load_timeline_text(
      "policy:\n"
      "  version: 1\n"
      "  store: {type: redis, url: \"redis://192.0.2.1\", secret: \"0123456789abcdef\"}\n"
      "  limits: [{name: a, key: [ip], rate: 5/s}]\n"
      "request: {client_ip: 192.0.2.1}\n"
      "steps:\n  - {at: 0s, expect: {admit: 1}}\n",
      "t.yaml");
  ASSERT_TRUE(loaded.timeline);
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(run_timeline(*loaded.timeline).mismatches.empty());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("counts in memory, from full"));
}

TEST(Timeline, NamesEveryMistakeWithItsPlace) {
  EXPECT_EQ(finding_in_step("{at: 0s, repeet: 2, expect: {admit: 1}}"),
            "t.yaml:7:14: error: unknown key `repeet` in a step; did you mean `repeat`?");
  EXPECT_THAT(finding_in_step("{at: 0s, expect: {remainin: 1}}"),
              HasSubstr("t.yaml:7:23: error: unknown key `remainin` in `expect`; did you mean "
                        "`remaining`?"));
  EXPECT_THAT(finding_in_step("{at: soon, expect: {admit: 1}}"), HasSubstr("t.yaml:7:10"));
  EXPECT_THAT(finding_in_step("{at: 0s}"), HasSubstr("needs `expect`"));
  EXPECT_THAT(finding_in_step("{at: 0s, repeat: 0, expect: {admit: 1}}"), HasSubstr("1 to 100M"));
  EXPECT_THAT(finding_in_step("{at: 0s, for: {n: 5..1}, expect: {admit: 1}}"),
              HasSubstr("not a range"));
  EXPECT_THAT(finding_in_step("{at: 0s, request: {client_ip: x}, expect: {admit: 1}}"),
              HasSubstr("not an IP address"));
  EXPECT_THAT(finding_in_step("{at: 0s, request: {stage: x}, expect: {admit: 1}}"),
              HasSubstr("pre or post"));
  EXPECT_THAT(first_finding("steps:\n  - {expect: {admit: 1}}\n"), HasSubstr("needs `policy`"));
  EXPECT_THAT(first_finding("policy: {version: 1}\n"), HasSubstr("needs `steps`"));
  EXPECT_THAT(first_finding("policy: {version: 1}\nsteps: []\n"), HasSubstr("at least one step"));
  EXPECT_THAT(first_finding("[1]"), HasSubstr("must be a mapping"));
  EXPECT_EQ(finding_in_step("{at: 0s, expect: {body: {\"\": 2}}}"),
            "t.yaml:7:30: error: an empty name in `body`; remove it");
  EXPECT_THAT(finding_in_step("{at: 0s, expect: {body: 2}}"),
              HasSubstr("t.yaml:7:29: error: `body` must be a mapping of names to values"));
  EXPECT_THAT(finding_in_step("{at: 0s, expect: {limits: {\"\": {admit: true}}}}"),
              HasSubstr("an empty name in `limits`"));
  for (const char* nothing : {"", "# only a comment\n"}) {
    EXPECT_EQ(first_finding(nothing),
              "t.yaml:1:1: error: the file is empty; a timeline needs `policy` and `steps`");
  }
  EXPECT_THAT(first_finding("start: 9999-01-01T00:00:00Z\npolicy: {version: 1}\nsteps:\n"
                            "  - {expect: {admit: 1}}\n"),
              HasSubstr("`start`: `9999-01-01T00:00:00Z` is out of range"));
}

TEST(Timeline, AMistakeInAPolicyInPlaceHasItsOwnPlace) {
  LoadedTimeline loaded = load_timeline_text(
      "# a comment\npolicy: {version: 1, limits: [{name: a, key: [ip], rat: 1/s}]}\nsteps:\n  - "
      "{expect: {admit: 1}}\n",
      "t.yaml");
  ASSERT_TRUE(loaded.timeline);
  const TimelineResult r = run_timeline(*loaded.timeline);
  bool found = false;
  for (const policy::Finding& f : r.findings) {
    EXPECT_EQ(f.at.line, 2u) << f.text();
    found = found || (f.at.column == 52 && f.message.find("`rat`") != std::string::npos);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace weir::cli
