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

#include <cstdint>

#include "algo/step.h"

namespace weir::algo {

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
  std::uint64_t room() const { return numbers_.burst_units - used_; }
  bool delayed() const { return numbers_.algorithm == Algorithm::leaky_bucket; }

  const Numbers& numbers_;
  Instant now_;
  std::uint64_t units_now_;
  std::uint64_t used_ = 0;  // units that have not come back, 0 to burst_units
  Instant full_at_;         // meaningful while used_ > 0
  Duration allowed_;        // leaky_bucket: the longest delay
  bool clamped_ = false;
};

Step charge_bucket(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
                   Duration max_delay);
Outcome peek_bucket(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
                    Duration max_delay);

}  // namespace weir::algo
