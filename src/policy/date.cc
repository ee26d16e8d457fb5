// Instants of an override's end: a day or RFC 3339, in Unix time.
#include <array>
#include <chrono>
#include <cstdio>

#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

// Exactly `digits` digits, in a range.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits, int low,
                          int high) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  if (value < low || value > high) return std::nullopt;
  return value;
}

bool has(std::string_view text, std::size_t at, char c) {
  return at < text.size() && text[at] == c;
}

// The years whose every instant is held in 64 bits of nanoseconds, a day's offset included.
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2553;
constexpr std::int64_t kDay = 86'400'000'000'000;  // ns

constexpr std::int64_t first_day(int year) {
  return std::chrono::sys_days(std::chrono::year(year) / 1 / 1).time_since_epoch().count();
}
constexpr std::int64_t kFirstDay = first_day(kFirstYear);
constexpr std::int64_t kLastDay = first_day(kLastYear + 1) - 1;

Error out_of_range(std::string_view text) {
  return {ErrorCode::out_of_range,
          "`" + printable(text) + "` is out of range: dates go from the year " +
              std::to_string(kFirstYear) + " to " + std::to_string(kLastYear),
          {}};
}

// "YYYY-MM-DD" in days since 1970.
std::optional<std::int64_t> day_number(std::string_view text) {
  const auto year = number(text, 0, 4, 0, 9999);
  const auto month = number(text, 5, 2, 1, 12);
  const auto day = number(text, 8, 2, 1, 31);
  if (!year || !month || !day || !has(text, 4, '-') || !has(text, 7, '-')) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// "Z", "+01:00" or "-05:30" in seconds.
std::optional<std::int64_t> zone_seconds(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const auto hour = number(text, 1, 2, 0, 23);
  const auto minute = number(text, 4, 2, 0, 59);
  if (text.size() != 6 || !hour || !minute || text[3] != ':') return std::nullopt;
  const std::int64_t offset = *hour * 3600 + *minute * 60;
  if (text[0] == '+') return offset;
  if (text[0] == '-') return -offset;
  return std::nullopt;
}

// "HH:MM:SS[.fraction]ZONE" in nanoseconds after the day's beginning in UTC.
std::optional<std::int64_t> time_of_day(std::string_view text) {
  const auto hour = number(text, 0, 2, 0, 23);
  const auto minute = number(text, 3, 2, 0, 59);
  const auto second = number(text, 6, 2, 0, 60);
  if (!hour || !minute || !second || text[2] != ':' || text[5] != ':') return std::nullopt;
  std::int64_t ns = 0;
  std::size_t at = 8;
  if (has(text, at, '.')) {
    std::int64_t scale = 100'000'000;
    const std::size_t first = ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10) {
      ns += (text[at] - '0') * scale;
    }
    if (at == first) return std::nullopt;
  }
  const auto zone = zone_seconds(text.substr(at));
  if (!zone) return std::nullopt;
  return (*hour * 3600 + *minute * 60 + *second - *zone) * std::int64_t{1'000'000'000} + ns;
}

}  // namespace

Result<Instant> parse_until(std::string_view text) {
  const Error error{ErrorCode::invalid_argument,
                    "`" + printable(text) +
                        "` is no date; write `2027-01-31` (that whole day in UTC) or "
                        "`2027-01-31T12:00:00Z`",
                    {}};
  const auto day = day_number(text);
  if (!day) return error;
  const bool whole_day = text.size() == 10;
  if (!whole_day && text[10] != 'T' && text[10] != 't') return error;
  const auto time = whole_day ? std::optional(kDay) : time_of_day(text.substr(11));
  if (!time) return error;
  if (*day < kFirstDay || *day > kLastDay || (*day == 0 && *time < 0)) return out_of_range(text);
  const Instant midnight{static_cast<std::uint64_t>(*day) * days(1).ns};
  return *time >= 0 ? midnight + Duration{static_cast<std::uint64_t>(*time)}
                    : midnight - Duration{static_cast<std::uint64_t>(-*time)};
}

std::string print_until(Instant until) {
  const std::uint64_t seconds_total = until.ns / 1'000'000'000;
  const std::chrono::sys_days day{
      std::chrono::days(static_cast<std::int64_t>(seconds_total / 86'400))};
  const std::chrono::year_month_day date(day);
  const std::uint64_t second = seconds_total % 86'400;
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02u:%02u:%02u",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<unsigned>(second / 3600),
                static_cast<unsigned>(second / 60 % 60), static_cast<unsigned>(second % 60));
  std::string text = out.data();
  if (const std::uint64_t part = until.ns % 1'000'000'000; part != 0) {
    std::string digits = std::to_string(part);
    digits.insert(0, 9 - digits.size(), '0');
    text += "." + digits;
  }
  return text + "Z";
}

}  // namespace weir::policy
