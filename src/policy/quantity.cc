// Counts, durations and rates: the file's grammar, and errors that name the nearest valid word.
#include "policy/quantity.h"

#include <algorithm>
#include <array>
#include <vector>

#include "policy/utf8.h"
#include "weir/decision.h"

namespace weir::policy {

namespace {

struct UnitOfTime {
  std::string_view word;
  Duration length;
};

constexpr std::array kRateWords{
    UnitOfTime{"s", seconds(1)}, UnitOfTime{"sec", seconds(1)}, UnitOfTime{"second", seconds(1)},
    UnitOfTime{"m", minutes(1)}, UnitOfTime{"min", minutes(1)}, UnitOfTime{"minute", minutes(1)},
    UnitOfTime{"h", hours(1)},   UnitOfTime{"hour", hours(1)},  UnitOfTime{"d", days(1)},
    UnitOfTime{"day", days(1)},
};

// From the longest down: the order in which they are written, each at most once.
constexpr std::array kDurationUnits{
    UnitOfTime{"d", days(1)},    UnitOfTime{"h", hours(1)},         UnitOfTime{"m", minutes(1)},
    UnitOfTime{"s", seconds(1)}, UnitOfTime{"ms", milliseconds(1)},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message), {}}; }
Error too_large(std::string message) { return {ErrorCode::out_of_range, std::move(message), {}}; }

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

// The digits at the front; nullopt where there are none or they pass 2^64-1.
std::optional<std::uint64_t> take_digits(std::string_view& text) {
  std::uint64_t value = 0;
  std::size_t n = 0;
  for (; n < text.size() && is_digit(text[n]); ++n) {
    const auto digit = static_cast<std::uint64_t>(text[n] - '0');
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      return std::nullopt;
    }
  }
  if (n == 0) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool is_calendar(std::string_view word) {
  static const std::vector<std::string> kWords{"mo",   "mon",   "month", "months", "y",    "yr",
                                               "year", "years", "w",     "week",   "weeks"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

Error calendar_error(std::string_view word) {
  return invalid(quoted(word) +
                 " is no period: months, years and weeks are calendar windows, of "
                 "algorithm `quota`; write days (`30d`) for a rolling window");
}

Error unknown_period(std::string_view word) {
  if (is_calendar(word)) return calendar_error(word);
  std::vector<std::string> words;
  for (const UnitOfTime& unit : kRateWords) words.emplace_back(unit.word);
  const std::string_view near = word.size() > 1 ? nearest(word, words) : std::string_view{};
  std::string message = "unknown period " + quoted(word);
  if (!near.empty()) return invalid(message + "; did you mean `" + std::string(near) + "`?");
  return invalid(message + "; a period is s, min, h, d or a duration like `15m`");
}

Result<Duration> parse_period(std::string_view text) {
  if (text.empty()) return invalid("the period is missing; write `60/min`");
  for (const UnitOfTime& unit : kRateWords) {
    if (text == unit.word) return unit.length;
  }
  if (!is_digit(text[0])) return unknown_period(text);
  return parse_duration(text);
}

}  // namespace

Result<std::uint64_t> parse_count(std::string_view text) {
  std::string_view rest = text;
  if (rest.empty() || !is_digit(rest[0])) {
    return invalid(quoted(text) + " is no whole number; write `20000` or `20k`");
  }
  if (rest.size() > 1 && rest[0] == '0' && is_digit(rest[1])) {
    return invalid(quoted(text) + " begins with 0; numbers are decimal, write it without");
  }
  const Error range = too_large(quoted(text) +
                                " is larger than 2^53 = 9007199254740992, the most "
                                "that is counted exactly");
  const auto digits = take_digits(rest);
  if (!digits) return range;
  std::uint64_t scale = 1;
  if (rest == "k") scale = 1'000;
  if (rest == "M") scale = 1'000'000;
  if (rest == "G") scale = 1'000'000'000;
  if (scale == 1 && !rest.empty()) {
    if (rest[0] == '.') return invalid(quoted(text) + " is not whole; write it in full");
    return invalid("unknown suffix " + quoted(rest) + " of a number; `k`, `M` and `G` are known");
  }
  std::uint64_t value = 0;
  if (__builtin_mul_overflow(*digits, scale, &value) || value > kMaxCount) return range;
  return value;
}

Result<Duration> parse_duration(std::string_view text) {
  std::string_view rest = text;
  std::uint64_t total = 0;
  std::size_t next = 0;  // the first unit of kDurationUnits that may still come
  if (rest.empty()) return invalid("the duration is missing; write `15m`");
  while (!rest.empty()) {
    if (!is_digit(rest[0]))
      return invalid(quoted(text) + " is no duration; write `15m` or `1h30m`");
    const auto number = take_digits(rest);
    std::size_t length = 0;
    while (length < rest.size() && is_letter(rest[length])) ++length;
    const std::string_view word = rest.substr(0, length);
    if (word.empty()) return invalid(quoted(text) + " has no unit; write `15m`, `250ms`, `2d`");
    if (is_calendar(word)) return calendar_error(word);
    std::size_t i = next;
    while (i < kDurationUnits.size() && kDurationUnits[i].word != word) ++i;
    if (i == kDurationUnits.size()) {
      return invalid("unknown unit " + quoted(word) + " in " + quoted(text) +
                     "; d, h, m (minutes), s, ms, in this order");
    }
    std::uint64_t ns = 0;
    if (!number || __builtin_mul_overflow(*number, kDurationUnits[i].length.ns, &ns) ||
        __builtin_add_overflow(total, ns, &total)) {
      return too_large(quoted(text) + " is longer than 584 years, the most that is counted");
    }
    next = i + 1;
    rest.remove_prefix(length);
  }
  return Duration{total};
}

Result<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    return invalid(quoted(text) + " has no period; a rate is `60/min` or `5/15m`");
  }
  std::string_view left = text.substr(0, slash);
  Rate rate;
  if (const std::size_t space = left.find(' '); space != left.npos) {
    rate.unit = plural_unit(left.substr(space + 1));
    if (!is_name(rate.unit)) return invalid(quoted(text) + " names no unit; write `1 request/s`");
    left = left.substr(0, space);
  }
  const Result<std::uint64_t> count = parse_count(left);
  if (!count) return count.error();
  const Result<Duration> period = parse_period(text.substr(slash + 1));
  if (!period) return period.error();
  rate.count = *count;
  rate.period = *period;
  return rate;
}

Result<std::uint32_t> parse_fraction(std::string_view text) {
  const Error error = invalid(quoted(text) + " is no number from 0 to 1, like `0.8`");
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view part = dot == text.npos ? std::string_view{} : text.substr(dot + 1);
  if ((whole != "0" && whole != "1") || (dot != text.npos && part.empty())) return error;
  if (!std::all_of(part.begin(), part.end(), is_digit)) return error;
  if (part.size() > 6) return invalid(quoted(text) + " has more than six digits after the point");
  std::uint32_t ppm = whole == "1" ? 1 : 0;
  for (std::size_t i = 0; i < 6; ++i) {
    ppm = ppm * 10 + (i < part.size() ? static_cast<std::uint32_t>(part[i] - '0') : 0);
  }
  if (ppm > 1'000'000) return error;
  return ppm;
}

std::string print_count(std::uint64_t count) { return std::to_string(count); }

std::string print_duration(Duration duration) {
  if (duration.ns == 0) return "0s";
  std::string out;
  std::uint64_t rest = duration.ns;
  for (const UnitOfTime& unit : kDurationUnits) {
    const std::uint64_t n = rest / unit.length.ns;
    rest %= unit.length.ns;
    if (n > 0) out += std::to_string(n) + std::string(unit.word);
  }
  return out;
}

std::string print_rate(std::uint64_t count, Duration period) {
  const std::string left = std::to_string(count) + "/";
  if (period == seconds(1)) return left + "s";
  if (period == minutes(1)) return left + "min";
  if (period == hours(1)) return left + "h";
  if (period == days(1)) return left + "day";
  return left + print_duration(period);
}

std::string print_fraction(std::uint32_t ppm) {
  if (ppm % 1'000'000 == 0) return ppm == 0 ? "0" : "1";
  std::string part = std::to_string(ppm % 1'000'000);
  part.insert(0, 6 - part.size(), '0');
  part.erase(part.find_last_not_of('0') + 1);
  return std::to_string(ppm / 1'000'000) + "." + part;
}

std::string period_word(Duration period) {
  if (period == seconds(1)) return "second";
  if (period == minutes(1)) return "minute";
  if (period == hours(1)) return "hour";
  if (period == days(1)) return "day";
  return print_duration(period);
}

std::string plural_unit(std::string_view unit) {
  if (unit == "request" || unit == "point" || unit == "token") return std::string(unit) + "s";
  return std::string(unit);
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName) return false;
  const auto word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  return word(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
           return word(c) || c == '.' || c == ':' || c == '/' || c == '-';
         });
}

}  // namespace weir::policy
