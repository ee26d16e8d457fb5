// The Level of fixed_window: a count in a half-open window [start, start + W).
//
// align: epoch  windows are the multiples of W since 1970; state.a packs ordinal and count
//               (packed.h). Wall time only places the window; its length is counted as it passes.
// align: first  a window begins with the first request that finds none open; state.a is its start
// on
//               the steady clock and state.b its count. No count, no window: a start of 0 is one.
// A window from the future (the clock was stepped back) counts as the current one.
#pragma once

#include <cstdint>

#include "algo/numbers.h"
#include "algo/packed.h"
#include "algo/state.h"

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

inline FixedWindow::FixedWindow(const Numbers& numbers, const State& state, Now now)
    : numbers_(numbers), now_(now.steady) {
  if (numbers.align == Align::epoch) {
    read_epoch(state, now.wall());
  } else {
    read_first(state);
  }
}

inline void FixedWindow::read_epoch(const State& state, Instant wall) {
  const Split split(numbers_.period_ns);
  ordinal_ = wall.ns / numbers_.period_ns;
  elapsed_ns_ = wall.ns % numbers_.period_ns;
  const Packed stored = split.unpack(state.a);
  const std::int64_t behind = split.behind(ordinal_, stored.ordinal);
  if (stored.count == 0 || behind > 0) return;
  count_ = stored.count;
  clamped_ = behind < 0;
}

inline void FixedWindow::read_first(const State& state) {
  if (state.b == 0) return;
  const Duration elapsed = now_ - Instant{state.a};  // zero for a start in the future
  if (elapsed.ns >= numbers_.period_ns) return;
  elapsed_ns_ = elapsed.ns;
  count_ = state.b;
  clamped_ = state.a > now_.ns;
}

inline State FixedWindow::state() const {
  if (count_ == 0) return {};
  if (numbers_.align == Align::first) return {now_.ns - elapsed_ns_, count_, 0};
  return {Split(numbers_.period_ns).pack(ordinal_, count_), 0, 0};
}

}  // namespace weir::algo
