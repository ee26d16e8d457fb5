#include "answer/words.h"

#include <array>
#include <chrono>

#include "base/append.h"

namespace weir::answer {
namespace {

struct Unit {
  std::uint64_t seconds;
  char letter;
  std::string_view plural;
};
constexpr std::array<Unit, 4> kUnits{
    {{86'400, 'd', "days"}, {3'600, 'h', "hours"}, {60, 'm', "minutes"}, {1, 's', "seconds"}}};

const Unit& unit_of(std::uint64_t seconds) {
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds && seconds % unit.seconds == 0) return unit;
  }
  return kUnits.back();
}

void append_padded(std::string& out, unsigned value) {
  if (value < 10) out += '0';
  base::append_decimal(out, value);
}

}  // namespace

void append_short_window(std::string& out, std::uint64_t seconds) {
  const Unit& unit = unit_of(seconds);
  base::append_decimal(out, seconds / unit.seconds);
  out += unit.letter;
}

void append_long_window(std::string& out, std::uint64_t seconds) {
  const Unit& unit = unit_of(seconds);
  base::append_decimal(out, seconds / unit.seconds);
  out += ' ';
  out += counted(unit.plural, seconds / unit.seconds);
}

void append_rfc3339(std::string& out, std::uint64_t unix_seconds) {
  const auto days = static_cast<int>(unix_seconds / 86'400);
  const auto second = static_cast<unsigned>(unix_seconds % 86'400);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  base::append_decimal(out, static_cast<unsigned>(static_cast<int>(date.year())));
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()));
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()));
  out += 'T';
  append_padded(out, second / 3'600);
  out += ':';
  append_padded(out, second / 60 % 60);
  out += ':';
  append_padded(out, second % 60);
  out += 'Z';
}

std::string_view counted(std::string_view unit, std::uint64_t count) {
  return count == 1 && unit.ends_with('s') ? unit.substr(0, unit.size() - 1) : unit;
}

}  // namespace weir::answer
