// `--fail-if`: what must not be so, as METRIC OP NUMBER.
//
//   hurt_keys>0.1%      more than one key in a thousand was denied something
//   denied>=100         100 requests or more were denied
//   p99_wait>30s        a denied client waits more than 30 s, in one case of a hundred
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/replay_outcome.h"
#include "weir/result.h"

namespace weir::cli {

struct Expectation {
  // A count, and the whole that a percentage is of; or a wait.
  enum class Metric : std::uint8_t {
    denied,          // requests, of all
    hurt_keys,       // keys with a denial, of all
    unparsed,        // lines rejected, of all
    newly_denied,    // with --vs: requests, of all
    newly_admitted,  // with --vs
    p99_wait,
    longest_wait,
  };
  enum class Compare : std::uint8_t { more, at_least, less, at_most, equal };

  Metric metric = Metric::denied;
  Compare compare = Compare::more;
  bool percent = false;
  std::uint64_t number = 0;  // a count, nanoseconds, or millionths of the whole
  std::string text;          // as given

  static Result<Expectation> parse(std::string_view text);
  bool needs_other() const {
    return metric == Metric::newly_denied || metric == Metric::newly_admitted;
  }
  // Whether it is so; `seen` then says how much it is.
  bool holds(const ReplayOutcome& outcome, std::string& seen) const;
};

}  // namespace weir::cli
