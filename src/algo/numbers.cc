// Numbers, checked: what is outside the exact range is refused with the largest that fits.
#include "algo/numbers.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/u128.h"

namespace weir::algo {
namespace {

using base::u128;

std::string num(std::uint64_t n) { return std::to_string(n); }

// "s", "min", "h", "day", or a length such as "15min" or "250ms": what follows the slash of a rate.
std::string per(Duration period) {
  struct Unit {
    std::uint64_t ns;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{days(1).ns, "day"},        {hours(1).ns, "h"},
                                    {minutes(1).ns, "min"},     {seconds(1).ns, "s"},
                                    {milliseconds(1).ns, "ms"}, {microseconds(1).ns, "us"}};
  for (const Unit& unit : kUnits) {
    if (period.ns % unit.ns != 0) continue;
    const std::uint64_t n = period.ns / unit.ns;
    return n == 1 && unit.ns >= seconds(1).ns ? unit.name : num(n) + unit.name;
  }
  return num(period.ns) + "ns";
}

Error zero(std::string_view what) {
  return {ErrorCode::invalid_argument,
          "a " + std::string(what) + " of 0 is not a limit: the least is 1", std::string(what)};
}

Error too_much(std::string_view field, const std::string& given, const std::string& most) {
  return {
      ErrorCode::out_of_range,
      std::string(field) + " " + given + " is above " + most + ", the most that is counted exactly",
      std::string(field)};
}

// `count` per `period`: not 0, at most 2^53, at most one a nanosecond.
Result<void> check_rate(std::string_view field, std::uint64_t count, Duration period,
                        std::string_view period_field) {
  if (count == 0) return zero(field);
  if (period.ns == 0) return zero(period_field);
  const std::uint64_t most = std::min(kMaxCount, period.ns);
  if (count <= most) return {};
  return too_much(field, num(count) + "/" + per(period), num(most) + "/" + per(period));
}

// What can be owed takes at most kLongestFill to come back.
Result<void> check_burst(std::string_view field, std::uint64_t count, Duration period,
                         std::uint64_t burst, std::uint64_t less) {
  const u128 fits = u128{count} * kLongestFill.ns / period.ns;
  if (fits == 0) {
    return Error{ErrorCode::out_of_range,
                 "rate " + num(count) + "/" + per(period) + " is below " + "1/" +
                     per(kLongestFill) + " (400 years), the least that is counted exactly",
                 "rate"};
  }
  const u128 most = std::min<u128>(fits, kMaxCount);
  if (burst <= most) return {};
  return too_much(field, num(burst - less) + " at " + num(count) + "/" + per(period),
                  num(static_cast<std::uint64_t>(most) - less));
}

Numbers bucket(Algorithm algorithm, std::uint64_t count, Duration period, std::uint64_t burst) {
  Numbers n;
  n.algorithm = algorithm;
  n.count = count;
  n.period_ns = period.ns;
  n.burst = burst;
  n.units_per_token = period.ns / count;  // at least 1: count <= period_ns
  n.units_per_period = count * n.units_per_token;
  n.burst_units = burst * n.units_per_token;  // at most burst * period / count <= kLongestFill
  n.most_owed_units = n.burst_units;
  return n;
}

}  // namespace

Duration time_to_full(const Numbers& bucket) {
  return {base::mul_div_ceil(bucket.burst_units, bucket.period_ns, bucket.units_per_period)};
}

Duration most_owed(const Numbers& bucket) {
  return {base::mul_div_ceil(bucket.most_owed_units, bucket.period_ns, bucket.units_per_period)};
}

void let_owe(Numbers& bucket, Duration most) {
  const std::uint64_t units =
      base::mul_div_ceil(most.ns, bucket.units_per_period, bucket.period_ns);
  bucket.most_owed_units = std::max(bucket.burst_units, units);
}

Result<Numbers> make_token_bucket(std::uint64_t count, Duration period, std::uint64_t burst) {
  if (auto ok = check_rate("rate", count, period, "period"); !ok) return ok.error();
  if (burst == 0) return zero("burst");
  if (auto ok = check_burst("burst", count, period, burst, 0); !ok) return ok.error();
  return bucket(Algorithm::token_bucket, count, period, burst);
}

Result<Numbers> make_leaky_bucket(std::uint64_t count, Duration period, std::uint64_t queue,
                                  Duration max_wait) {
  if (auto ok = check_rate("rate", count, period, "period"); !ok) return ok.error();
  if (queue >= kMaxCount) return too_much("queue", num(queue), num(kMaxCount - 1));
  if (auto ok = check_burst("queue", count, period, queue + 1, 1); !ok) return ok.error();
  Numbers n = bucket(Algorithm::leaky_bucket, count, period, queue + 1);
  n.max_wait_ns = max_wait.ns;
  return n;
}

Result<Numbers> make_window(Algorithm algorithm, std::uint64_t limit, Duration window,
                            Align align) {
  if (algorithm != Algorithm::fixed_window && algorithm != Algorithm::sliding_window &&
      algorithm != Algorithm::sliding_log) {
    return Error{ErrorCode::invalid_argument,
                 std::string(name(algorithm)) + " has a rate, not a window", "algorithm"};
  }
  if (auto ok = check_rate("limit", limit, window, "window"); !ok) return ok.error();
  if (window > kLongestFill) {
    return too_much("window", per(window), per(kLongestFill) + " (400 years)");
  }
  if (algorithm == Algorithm::sliding_log && limit > kMaxLogLimit) {
    return Error{ErrorCode::out_of_range,
                 "limit " + num(limit) + " is above " + num(kMaxLogLimit) +
                     ", the most that a sliding_log holds (16 bytes each); sliding_window has no "
                     "such bound",
                 "limit"};
  }
  Numbers n;
  n.algorithm = algorithm;
  n.align = align;
  n.count = limit;
  n.period_ns = window.ns;
  n.burst = limit;
  return n;
}

}  // namespace weir::algo
