// What one step of a timeline saw, and the value of an expectation in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "cli/timeline.h"

namespace weir::cli {

// Counts over the requests of a step; all the rest is of the last one.
struct Observed {
  std::uint64_t admitted = 0;
  std::uint64_t denied = 0;
  std::map<std::string, std::uint64_t> denied_by;  // by the governing limit
  std::string delays;                              // of those admitted, "0s, 100ms"
  const Answered* last = nullptr;
  Session* asked = nullptr;  // whose answer `last` is
};

// The governing verdict; null where there is none.
const decide::LimitVerdict* governing(const decide::Decision& decision);

// What was answered for "remaining", "headers.RateLimit", in the spelling of `canonical`; none
// where there is no such thing.
std::optional<std::string> actual(const Observed& seen, std::string_view path);

}  // namespace weir::cli
