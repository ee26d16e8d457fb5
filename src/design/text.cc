#include "design/text.h"

#include <fmt/format.h>

#include <chrono>

#include "policy/quantity.h"

namespace weir::design {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

}  // namespace

std::string duration_text(Duration d) {
  return d == Duration::max() ? "never" : policy::print_duration(d);
}

std::string count_text(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string short_count(std::uint64_t n) {
  if (n >= 1'000'000 && n % 1'000'000 == 0) return count_text(n / 1'000'000) + "M";
  if (n >= 10'000 && n % 1'000 == 0) return count_text(n / 1'000) + "k";
  return count_text(n);
}

std::string rate_text(std::uint64_t count, std::uint64_t period_ns) {
  const std::string rate = policy::print_rate(count, {period_ns});
  return short_count(count) + rate.substr(rate.find('/'));
}

std::string numbers_text(const algo::Numbers& n) {
  std::string rate = rate_text(n.count, n.period_ns);
  switch (n.algorithm) {
    case Algorithm::token_bucket:
      return fmt::format("{} burst {}", rate, short_count(n.burst));
    case Algorithm::leaky_bucket:
      return fmt::format("{} queue {}", rate, short_count(n.burst - 1));
    default:
      return rate;
  }
}

std::string numbers_text(const policy::LimitNumbers& numbers) {
  switch (numbers.kind) {
    case policy::NumbersKind::absent:
      return "not limited";
    case policy::NumbersKind::deny:
      return "deny";
    case policy::NumbersKind::unlimited:
      return "unlimited";
    case policy::NumbersKind::numbers:
      return numbers_text(numbers.numbers);
  }
  return {};
}

std::string instant_text(Instant unix_time) {
  namespace chrono = std::chrono;
  if (unix_time.ns == ~std::uint64_t{0}) return "for ever";
  const std::uint64_t whole = unix_time.ns / kSecond;
  const chrono::sys_seconds at{chrono::seconds(static_cast<std::int64_t>(whole))};
  const auto day = chrono::floor<chrono::days>(at);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss time(at - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  if (unix_time.ns % kSecond != 0) {
    std::string decimals = fmt::format(".{:09}", unix_time.ns % kSecond);
    text += decimals.substr(0, decimals.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

}  // namespace weir::design
