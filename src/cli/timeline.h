// A timeline: requests at instants of a virtual clock, with what must be answered
// (docs/testing.md).
//
//   LoadedTimeline t = load_timeline("e1.yaml");
//   if (t.findings.empty()) TimelineResult r = run_timeline(*t.timeline);
//
// Loading finds every mistake at once, with its place. Running reads no clock and sleeps never: the
// same file gives the same result everywhere. Not thread-safe while it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/request.h"
#include "policy/position.h"
#include "policy/yaml_tree.h"
#include "weir/clock.h"

namespace weir::cli {

// One expected value: `path` is "status", "limits.plan-minute.remaining", "headers.RateLimit",
// "body.error.code". Both sides are compared as text in one spelling.
struct Expected {
  policy::Position at;
  std::string path;
  std::optional<std::string> value;  // none: must be absent
};

struct Step {
  policy::Position at_line;
  Duration at;  // since the start; since the step before where `relative`
  bool relative = false;
  std::uint64_t repeat = 1;
  std::string variable;  // `for: {n: 1..101}`: {n} in the request's texts
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Duration every;              // between requests
  std::vector<Duration> skew;  // the n-th request's clock is ahead by the n-th of these, in turn
  std::optional<RequestSpec> request;
  std::optional<std::string> reload;  // the text of another policy
  std::int64_t wall_step_ns = 0;
  std::vector<Expected> expected;
};

struct Timeline {
  std::string file;
  std::string policy_text;
  std::string policy_file;    // what its messages and relative paths start from
  std::string accounts_text;  // CSV; empty: the policy's own accounts file
  Instant start;              // Unix time
  std::uint64_t engines = 1;  // processes with a memory of their own, asked in turn
  std::vector<Step> steps;
};

struct LoadedTimeline {
  std::optional<Timeline> timeline;  // none when there is a finding
  policy::Findings findings;
  bool unreadable = false;  // the timeline's own file
};

LoadedTimeline load_timeline(const std::string& file);
LoadedTimeline load_timeline_text(std::string_view text, const std::string& file);

// The spelling in which values of this path are compared, or why `value` is none for it; not_found
// where there is no such path.
Result<std::string> canonical(std::string_view path, const policy::Node& value);

struct Mismatch {
  std::size_t step = 0;  // from 1
  policy::Position at;
  std::string what;  // the path
  std::string expected;
  std::string got;
};

struct TimelineResult {
  policy::Findings findings;  // of the policy; with an error nothing ran
  std::vector<Mismatch> mismatches;
  std::uint64_t requests = 0;
  std::size_t steps = 0;
};

TimelineResult run_timeline(const Timeline& timeline);

}  // namespace weir::cli
