// How the numbers of a policy are spelt, both ways: text to value and value to its one long form.
//
// Rates, durations and counts are parsed by loader.h's parse_rate, parse_duration and parse_count.
// Here are the rest, and the printers; parse(print(x)) is x. Values; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/loader.h"
#include "weir/clock.h"
#include "weir/result.h"

namespace weir::policy {

// "0.82" to 820000 millionths: a decimal number from 0 to 1, at most six digits after the point.
Result<std::uint32_t> parse_fraction(std::string_view text);

// "2027-01-31" (that whole day, in UTC) or RFC 3339 ("2027-01-31T12:00:00Z", "...+01:00"), as the
// first instant of Unix time at which it is over. Years 1970 to 2553.
Result<Instant> parse_until(std::string_view text);

std::string print_count(std::uint64_t count);
std::string print_duration(Duration duration);                 // "1h30m", "250ms"; 0: "0s"
std::string print_rate(std::uint64_t count, Duration period);  // "60/min", "5/15m"
std::string print_fraction(std::uint32_t ppm);                 // "0.82"
std::string print_until(Instant until);                        // "2027-02-01T00:00:00Z"

// The word of a period, for names made from it: "second", "minute", "hour", "day", else "15m".
std::string period_word(Duration period);

// One spelling of a unit: "request" is "requests".
std::string plural_unit(std::string_view unit);

bool is_name(
    std::string_view text);  // of tiers, limits, units, keys: [A-Za-z0-9_][A-Za-z0-9_.:/-]*
inline constexpr std::size_t kMaxName = 64;

}  // namespace weir::policy
