// The Level of fixed_window: a count in a half-open window [start, start + W).
//
// align: epoch  windows are the multiples of W since 1970; state.a packs ordinal and count
//               (packed.h). Wall time only places the window; its length is counted as it passes.
// align: first  a window begins with the first request that finds none open; state.a is its start
// on
//               the steady clock and state.b its count. No count, no window: a start of 0 is a
//               start.
// A window from the future (the clock was stepped back) counts as the current one.
#pragma once

#include <cstdint>

#include "algo/step.h"

namespace weir::algo {

class FixedWindow {
 public:
  FixedWindow(const Numbers& numbers, const State& state, Now now);

  std::uint64_t limit() const { return numbers_.count; }
  std::uint64_t remaining(std::uint64_t) const {
    return detail::saturating_sub(numbers_.count, count_);
  }
  bool fits(std::uint64_t cost) const { return cost <= remaining(cost); }
  Duration wait(std::uint64_t cost) const { return fits(cost) ? Duration{} : reset(); }
  // Until the window ends, whether anything was used or not.
  Duration reset() const { return {numbers_.period_ns - elapsed_ns_}; }
  Duration delay(std::uint64_t) const { return {}; }
  void add(std::uint64_t cost) { count_ += cost; }
  void take_back(std::uint64_t cost) { count_ = detail::saturating_sub(count_, cost); }
  bool clamped() const { return clamped_; }
  State state() const;
  Instant full_at() const { return count_ == 0 ? now_ : now_ + reset(); }

 private:
  void read_epoch(const State& state, Instant wall);
  void read_first(const State& state);

  const Numbers& numbers_;
  Instant now_;
  std::uint64_t elapsed_ns_ = 0;  // of the current window
  std::uint64_t ordinal_ = 0;     // align: epoch
  std::uint64_t count_ = 0;       // in the current window
  bool clamped_ = false;
};

Step charge_fixed(const Numbers& numbers, const State& state, std::uint64_t cost, Now now);
Outcome peek_fixed(const Numbers& numbers, const State& state, std::uint64_t cost, Now now);

}  // namespace weir::algo
