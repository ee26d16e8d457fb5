#include "traffic/format/timestamp.h"

#include <chrono>
#include <cstring>
#include <limits>

namespace weir::traffic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Reads a text from its front; once something was not as expected it stays failed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Exactly `count` digits.
  int number(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char c = next();
      ok_ = ok_ && c >= '0' && c <= '9';
      value = value * 10 + (c - '0');
    }
    return ok_ ? value : 0;
  }
  void expect(char c) { ok_ = next() == c && ok_; }
  bool skip(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  unsigned month() {
    static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::string_view name = text_.substr(0, 3);
    text_.remove_prefix(name.size());
    const std::size_t at = name.size() == 3 ? kMonths.find(name) : std::string_view::npos;
    ok_ = ok_ && at != std::string_view::npos && at % 3 == 0;
    return ok_ ? static_cast<unsigned>(at / 3 + 1) : 1;
  }
  // ".123": of a second, in nanoseconds.
  std::int64_t fraction() {
    std::int64_t ns = 0;
    std::int64_t unit = kSecond / 10;
    for (; unit > 0 && !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; unit /= 10) {
      ns += (next() - '0') * unit;
    }
    ok_ = ok_ && unit != kSecond / 10;
    return ns;
  }
  // "+0200", "-02:00": seconds east of UTC.
  std::int64_t offset() {
    const bool west = skip('-');
    if (!west) expect('+');
    const int hours = number(2);
    skip(':');
    const int minutes = number(2);
    ok_ = ok_ && hours < 24 && minutes < 60;
    const std::int64_t seconds = hours * 3'600 + minutes * 60;
    return west ? -seconds : seconds;
  }
  std::string_view rest() const { return text_; }
  void fail() { ok_ = false; }
  bool done() const { return ok_ && text_.empty(); }

 private:
  char next() {
    if (text_.empty()) {
      ok_ = false;
      return '0';
    }
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }

  std::string_view text_;
  bool ok_ = true;
};

// Seconds since 1970 of midnight; years of four digits leave room for nanoseconds up to 2262.
std::int64_t midnight(Cursor& cursor, int year, unsigned month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || year < 1678 || year > 2261) {
    cursor.fail();
    return 0;
  }
  return std::chrono::sys_days{date}.time_since_epoch().count() * std::int64_t{86'400};
}

// "22:00:00", with a fraction where there is one.
std::int64_t time_of_day_ns(Cursor& cursor) {
  const int hour = cursor.number(2);
  cursor.expect(':');
  const int minute = cursor.number(2);
  cursor.expect(':');
  const int second = cursor.number(2);
  if (hour > 23 || minute > 59 || second > 60) cursor.fail();
  const std::int64_t minutes = hour * 3'600 + minute * 60;
  const std::int64_t fraction = cursor.skip('.') || cursor.skip(',') ? cursor.fraction() : 0;
  if (second == 60) return (minutes + 60) * kSecond - 1;
  return (minutes + second) * kSecond + fraction;
}

// "29/Apr/2018"
std::int64_t named_date(Cursor& cursor) {
  const int day = cursor.number(2);
  cursor.expect('/');
  const unsigned month = cursor.month();
  cursor.expect('/');
  return midnight(cursor, cursor.number(4), month, day);
}

// "2018-04-29"
std::int64_t numeric_date(Cursor& cursor, char separator) {
  const int year = cursor.number(4);
  cursor.expect(separator);
  const int month = cursor.number(2);
  cursor.expect(separator);
  return midnight(cursor, year, static_cast<unsigned>(month), cursor.number(2));
}

std::optional<std::int64_t> checked(const Cursor& cursor, std::int64_t ns) {
  if (!cursor.done()) return std::nullopt;
  return ns;
}

}  // namespace

std::optional<std::int64_t> CommonTime::parse(std::string_view text) {
  if (text.size() != kSize) return std::nullopt;
  if (std::memcmp(text.data(), last_, kMinute) != 0 ||
      std::memcmp(text.data() + kZone, last_ + kZone, kSize - kZone) != 0) {
    Cursor cursor(text);
    const std::int64_t date = named_date(cursor);
    cursor.expect(':');
    const int hour = cursor.number(2);
    cursor.expect(':');
    const int minute = cursor.number(2);
    cursor.expect(':');
    cursor.number(2);
    cursor.expect(' ');
    const std::int64_t offset = cursor.offset();
    if (!cursor.done() || hour > 23 || minute > 59) return std::nullopt;
    minute_ns_ = (date + hour * 3'600 + minute * 60 - offset) * kSecond;
    std::memcpy(last_, text.data(), kSize);
  }
  const unsigned tens = static_cast<unsigned char>(text[kMinute]) - unsigned{'0'};
  const unsigned ones = static_cast<unsigned char>(text[kMinute + 1]) - unsigned{'0'};
  if (tens > 6 || ones > 9 || tens * 10 + ones > 60) return std::nullopt;
  if (tens == 6) return minute_ns_ + 60 * kSecond - 1;
  return minute_ns_ + std::int64_t{tens * 10 + ones} * kSecond;
}

std::optional<std::int64_t> parse_iso8601(std::string_view text) {
  Cursor cursor(text);
  const std::int64_t date = numeric_date(cursor, '-');
  if (!cursor.skip(' ') && !cursor.skip('t')) cursor.expect('T');
  const std::int64_t day_ns = time_of_day_ns(cursor);
  std::int64_t offset = 0;
  if (!cursor.skip('Z') && !cursor.skip('z') && !cursor.rest().empty()) {
    cursor.skip(' ');
    offset = cursor.offset();
  }
  return checked(cursor, (date - offset) * kSecond + day_ns);
}

std::optional<std::int64_t> parse_haproxy_time(std::string_view text) {
  Cursor cursor(text);
  const std::int64_t date = named_date(cursor);
  cursor.expect(':');
  const std::int64_t day_ns = time_of_day_ns(cursor);
  return checked(cursor, date * kSecond + day_ns);
}

std::optional<std::int64_t> parse_slashed_time(std::string_view text) {
  Cursor cursor(text);
  const std::int64_t date = numeric_date(cursor, '/');
  cursor.expect(' ');
  const std::int64_t day_ns = time_of_day_ns(cursor);
  return checked(cursor, date * kSecond + day_ns);
}

std::optional<std::int64_t> parse_decimal(std::string_view text, std::int64_t unit_ns) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::size_t i = 0;
  std::int64_t whole = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (whole > (kMost - 9) / 10) return std::nullopt;
    whole = whole * 10 + (text[i] - '0');
  }
  if (i == 0 || whole > kMost / unit_ns - 1) return std::nullopt;
  std::int64_t ns = whole * unit_ns;
  if (i == text.size()) return ns;
  if (text[i] != '.' || ++i == text.size()) return std::nullopt;
  for (std::int64_t unit = unit_ns / 10; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    ns += (text[i] - '0') * unit;
  }
  return ns;
}

}  // namespace weir::traffic
