// Windows and instants as people and programs read them. Appending; no locale, no time zone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::answer {

// The largest unit that divides the window: 60 is "1m", 86400 "1d", 90 "90s".
void append_short_window(std::string& out, std::uint64_t seconds);
// "1 minute", "1 day", "90 seconds".
void append_long_window(std::string& out, std::uint64_t seconds);
// "2026-11-30T15:32:01Z" of Unix seconds.
void append_rfc3339(std::string& out, std::uint64_t unix_seconds);
// A unit of the policy after a number: "requests", but 1 "request".
std::string_view counted(std::string_view unit, std::uint64_t count);

}  // namespace weir::answer
