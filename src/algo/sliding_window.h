// The Level of sliding_window: the count of this window, and a share of the one before.
//
// The share of the previous window, e into the current one, is what is left of it: of its p units
// those that lie strictly below p * (1 - e/W), whole units only:
//     p == 0 ? 0 : ceil(p * (W - e) / W) - 1
// Windows are half-open, so a unit that sits exactly on the edge has left. That is the floor of
// p * (1 - e/W) wherever this is not a whole number (E1: 83 of 100 at 10 s of 60), and one less
// where it is; a plain floor would deny a client that is paced exactly at the limit and in phase
// with the windows once at every boundary, where its previous count weighs fully for one tick. The
// envelope ceil(limit * (1 + tau/W)) is unharmed: the last tick of a window is W - 1 after its
// start, so at e of the next at most floor(limit * e / W) + 1 are added in e + 1 ticks.
//
// align: epoch  state.a packs ordinal and current count (packed.h), state.b is the previous count.
// align: first  state.a is the start of the current window on the steady clock, b the previous and
//               c the current count. Windows follow each other without a gap from the first start;
//               when two have passed idle, the next request starts afresh.
// A window from the future (the clock was stepped back) counts as the current one.
#pragma once

#include <cstdint>

#include "algo/step.h"

namespace weir::algo {

class SlidingWindow {
 public:
  SlidingWindow(const Numbers& numbers, const State& state, Now now);

  std::uint64_t limit() const { return numbers_.count; }
  std::uint64_t remaining(std::uint64_t) const;
  bool fits(std::uint64_t cost) const { return cost <= remaining(cost); }
  // The first instant at which the cost fits: in this window, in the next, or in the one after.
  Duration wait(std::uint64_t cost) const;
  // Until nothing is counted any more: the first instant at which the whole limit fits.
  Duration reset() const { return wait(numbers_.count); }
  Duration delay(std::uint64_t) const { return {}; }
  void add(std::uint64_t cost) { current_ += cost; }
  void take_back(std::uint64_t cost);
  bool clamped() const { return clamped_; }
  State state() const;
  Instant full_at() const;

 private:
  void read_epoch(const State& state, Instant wall);
  void read_first(const State& state);
  void place(std::uint64_t windows_behind, std::uint64_t previous, std::uint64_t current);

  const Numbers& numbers_;
  Instant now_;
  std::uint64_t elapsed_ns_ = 0;  // of the current window
  std::uint64_t ordinal_ = 0;     // align: epoch
  std::uint64_t current_ = 0;
  std::uint64_t previous_ = 0;
  bool clamped_ = false;
};

Step charge_sliding(const Numbers& numbers, const State& state, std::uint64_t cost, Now now);
Outcome peek_sliding(const Numbers& numbers, const State& state, std::uint64_t cost, Now now);

}  // namespace weir::algo
