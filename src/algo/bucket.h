// The Level of token_bucket and leaky_bucket: one instant, read on the grid of the limit.
//
// Units are counted from the clock's zero: v(t) = floor(t * m / period) have come by t. The state
// is the instant at which all that was taken has come back (the theoretical arrival time), so the
// units in use are v(tat) - v(now). A point V of the grid is stored as ceil(V * period / m), and
// v() of that is V again because a unit is at least a nanosecond (m <= period): nothing is lost
// however often a state is read and written, and what is admitted is never later than the ideal
// bucket and at most one unit (under 2 ns) earlier. Where count divides period, m == period and
// v(t) is t.
//
// Instants saturate at 2^64-1 ns, 584 years after the clock's zero.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algo/numbers.h"
#include "algo/state.h"
#include "base/u128.h"

namespace weir::algo {

// kDelays: what it admits waits for its turn (leaky_bucket).
template <bool kDelays>
class Bucket {
 public:
  Bucket(const Numbers& numbers, const State& state, Now now, Duration max_delay);

  std::uint64_t limit() const { return numbers_.burst; }
  std::uint64_t remaining(std::uint64_t cost) const;
  bool fits(std::uint64_t cost) const;
  Duration wait(std::uint64_t cost) const;
  Duration reset() const { return full_at() - now_; }
  Duration delay(std::uint64_t cost) const;
  void add(std::uint64_t cost);
  void take_back(std::uint64_t cost);
  bool clamped() const { return clamped_; }
  State state() const { return {full_at().ns, 0, 0}; }
  // When all that was taken has come back.
  Instant full_at() const { return used_ == 0 ? now_ : full_at_; }

 private:
  std::uint64_t units_at(Instant t) const;
  Instant instant_of(std::uint64_t units) const;
  std::uint64_t room() const { return detail::saturating_sub(numbers_.burst_units, used_); }

  const Numbers& numbers_;
  Instant now_;
  std::uint64_t units_now_;
  std::uint64_t used_ = 0;  // units that have not come back, 0 to most_owed_units
  Instant full_at_;         // meaningful while used_ > 0
  Duration allowed_;        // the longest delay
  bool clamped_ = false;
};

template <bool kDelays>
inline Bucket<kDelays>::Bucket(const Numbers& numbers, const State& state, Now now,
                               Duration max_delay)
    : numbers_(numbers),
      now_(now.steady),
      units_now_(units_at(now.steady)),
      allowed_(kDelays ? std::min(Duration{numbers.max_wait_ns}, max_delay) : Duration{}) {
  if (state.a <= now_.ns) return;
  const base::Division owed =
      numbers.on_the_nanosecond()
          ? base::Division{state.a, 0}
          : base::divide(base::u128{state.a} * numbers.units_per_period, numbers.period_ns);
  used_ = detail::saturating_sub(owed.quotient, units_now_);
  clamped_ = used_ > numbers.most_owed_units;
  if (clamped_) used_ = numbers.burst_units;
  // v(state.a - 1) < v(state.a): the state is the first instant of its unit, as this grid stores
  // it.
  const bool first = owed.remainder < numbers.units_per_period;
  full_at_ =
      first && !clamped_ ? Instant{state.a} : instant_of(detail::saturating_add(units_now_, used_));
}

template <bool kDelays>
inline std::uint64_t Bucket<kDelays>::units_at(Instant t) const {
  if (numbers_.on_the_nanosecond()) return t.ns;
  return base::mul_div_floor(t.ns, numbers_.units_per_period, numbers_.period_ns);
}

template <bool kDelays>
inline Instant Bucket<kDelays>::instant_of(std::uint64_t units) const {
  if (numbers_.on_the_nanosecond()) return {units};
  return {base::mul_div_ceil(units, numbers_.period_ns, numbers_.units_per_period)};
}

// With a bound on the delay, requests alike are admitted while the queue before them drains in
// time, so what is left is the cost of those (the last may reach beyond the bound), or less where
// the bucket itself holds less.
template <bool kDelays>
inline std::uint64_t Bucket<kDelays>::remaining(std::uint64_t cost) const {
  const std::uint64_t k = numbers_.units_per_token;
  const std::uint64_t tokens = room() / k;
  if (!kDelays || allowed_ == Duration::max()) return tokens;
  if (full_at() > now_ + allowed_) return 0;
  if (cost > numbers_.burst) return tokens;
  const std::uint64_t horizon =
      detail::saturating_sub(units_at(now_ + allowed_), detail::saturating_add(units_now_, used_));
  const std::uint64_t requests = horizon / (cost * k) + 1;
  return std::min(tokens, detail::saturating_mul(requests, cost));
}

template <bool kDelays>
inline bool Bucket<kDelays>::fits(std::uint64_t cost) const {
  if (kDelays && full_at() - now_ > allowed_) return false;
  return cost * numbers_.units_per_token <= room();
}

template <bool kDelays>
inline Duration Bucket<kDelays>::wait(std::uint64_t cost) const {
  if (fits(cost)) return {};
  Instant at = now_;
  const std::uint64_t needed = cost * numbers_.units_per_token;
  if (needed > room()) {
    const std::uint64_t rest = numbers_.burst_units - needed;
    at = instant_of(detail::saturating_add(units_now_, used_ - rest));
  }
  if (kDelays) at = std::max(at, full_at() - allowed_);
  return at - now_;
}

template <bool kDelays>
inline Duration Bucket<kDelays>::delay(std::uint64_t cost) const {
  return kDelays && cost != 0 ? full_at() - now_ : Duration{};
}

template <bool kDelays>
inline void Bucket<kDelays>::add(std::uint64_t cost) {
  used_ += cost * numbers_.units_per_token;
  full_at_ = instant_of(detail::saturating_add(units_now_, used_));
}

template <bool kDelays>
inline void Bucket<kDelays>::take_back(std::uint64_t cost) {
  // A cost above the burst gives back all there is; the product of a smaller one fits.
  const std::uint64_t units =
      cost > numbers_.burst ? numbers_.burst_units : cost * numbers_.units_per_token;
  used_ = detail::saturating_sub(used_, units);
  full_at_ = instant_of(detail::saturating_add(units_now_, used_));
}

using TokenBucket = Bucket<false>;
using LeakyBucket = Bucket<true>;

}  // namespace weir::algo
