// Reads the times that access logs write, to nanoseconds since 1970 in UTC.
//
// Strict: an impossible date, an hour of 24, trailing text are no time. Second 60 (a leap second)
// is the last nanosecond of the second before: nothing follows it that it could overtake. A format
// that writes no offset is read as UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::traffic {

// "29/Apr/2018:22:00:00 -0200": most lines repeat all but the seconds of the line before, which
// then costs a compare.
class CommonTime {
 public:
  std::optional<std::int64_t> parse(std::string_view text);

 private:
  static constexpr std::size_t kSize = 26;
  static constexpr std::size_t kMinute = 18;  // characters up to the seconds
  static constexpr std::size_t kZone = 20;

  char last_[kSize] = {};
  std::int64_t minute_ns_ = 0;
};

// "2018-04-29T22:00:00.123-02:00", "2018-04-29 22:00:00", "...Z": RFC 3339, a space for the T, no
// more than nine digits of a second, no offset for UTC.
std::optional<std::int64_t> parse_iso8601(std::string_view text);

// "06/Feb/2009:12:14:14.655": HAProxy's accept date.
std::optional<std::int64_t> parse_haproxy_time(std::string_view text);

// "2024/01/02 03:04:05": nginx's error log.
std::optional<std::int64_t> parse_slashed_time(std::string_view text);

// "1262304000.456" of a unit of `unit_ns` (1'000'000'000: seconds, 1'000'000: ms...). Digits below
// a nanosecond are cut off. No sign, no exponent.
std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t unit_ns);

}  // namespace weir::traffic
