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
// A window from the future (the clock was stepped back) counts as the current one; of an aligned
// one the window before it too, in full, or a window's late share of it would count in its early
// part.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algo/numbers.h"
#include "algo/packed.h"
#include "algo/state.h"
#include "base/u128.h"

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
  static std::uint64_t share(std::uint64_t previous, std::uint64_t elapsed, std::uint64_t window);
  static std::uint64_t shrinks_to(std::uint64_t room, std::uint64_t previous, std::uint64_t window);

  const Numbers& numbers_;
  Instant now_;
  std::uint64_t elapsed_ns_ = 0;  // of the current window
  std::uint64_t ordinal_ = 0;     // align: epoch
  std::uint64_t current_ = 0;
  std::uint64_t previous_ = 0;
  bool clamped_ = false;
};

// What of `previous` still counts, `elapsed` into the next window.
inline std::uint64_t SlidingWindow::share(std::uint64_t previous, std::uint64_t elapsed,
                                          std::uint64_t window) {
  if (previous == 0) return 0;
  return base::mul_div_ceil(previous, window - elapsed, window) - 1;
}

// The first `elapsed` at which share() is at most `room`; below the window whenever
// previous <= window * (room + 1).
//   share <= room  <=>  previous * (window - elapsed) <= (room + 1) * window
inline std::uint64_t SlidingWindow::shrinks_to(std::uint64_t room, std::uint64_t previous,
                                               std::uint64_t window) {
  if (previous == 0) return 0;
  return detail::saturating_sub(window, base::mul_div_floor(room + 1, window, previous));
}

inline SlidingWindow::SlidingWindow(const Numbers& numbers, const State& state, Now now)
    : numbers_(numbers), now_(now.steady) {
  if (numbers.align == Align::epoch) {
    read_epoch(state, now.wall());
  } else {
    read_first(state);
  }
}

inline void SlidingWindow::read_epoch(const State& state, Instant wall) {
  const Split split(numbers_.period_ns);
  ordinal_ = wall.ns / numbers_.period_ns;
  elapsed_ns_ = wall.ns % numbers_.period_ns;
  const Packed stored = split.unpack(state.a);
  if (stored.count == 0 && state.b == 0) return;
  const std::int64_t behind = split.behind(ordinal_, stored.ordinal);
  clamped_ = behind < 0;
  if (clamped_) {
    // No more than two windows can hold, or it would grow with each step and leave its field.
    const std::uint64_t most = std::min(kMaxCount, 2 * numbers_.count);
    current_ = std::max(stored.count, std::min(most, stored.count + state.b));
  } else {
    place(static_cast<std::uint64_t>(behind), state.b, stored.count);
  }
}

inline void SlidingWindow::read_first(const State& state) {
  if (state.b == 0 && state.c == 0) return;
  clamped_ = state.a > now_.ns;
  const std::uint64_t since = clamped_ ? 0 : now_.ns - state.a;
  place(since / numbers_.period_ns, state.b, state.c);
  // With nothing left to count, the next request starts afresh.
  if (current_ != 0 || previous_ != 0) elapsed_ns_ = since % numbers_.period_ns;
}

inline void SlidingWindow::place(std::uint64_t windows_behind, std::uint64_t previous,
                                 std::uint64_t current) {
  if (windows_behind == 0) {
    previous_ = previous;
    current_ = current;
  } else if (windows_behind == 1) {
    previous_ = current;
  }
}

inline std::uint64_t SlidingWindow::remaining(std::uint64_t) const {
  const std::uint64_t left = detail::saturating_sub(numbers_.count, current_);
  return detail::saturating_sub(left, share(previous_, elapsed_ns_, numbers_.period_ns));
}

inline Duration SlidingWindow::wait(std::uint64_t cost) const {
  const std::uint64_t window = numbers_.period_ns;
  const std::uint64_t room = numbers_.count - cost;
  if (current_ <= room) {
    const std::uint64_t at = shrinks_to(room - current_, previous_, window);
    if (at <= elapsed_ns_) return {};
    if (at < window) return {at - elapsed_ns_};
  }
  const Duration to_next{window - elapsed_ns_};
  return to_next + Duration{shrinks_to(room, current_, window)};
}

inline void SlidingWindow::take_back(std::uint64_t cost) {
  const std::uint64_t from_current = std::min(cost, current_);
  current_ -= from_current;
  previous_ = detail::saturating_sub(previous_, cost - from_current);
}

inline State SlidingWindow::state() const {
  if (current_ == 0 && previous_ == 0) return {};
  if (numbers_.align == Align::first) return {now_.ns - elapsed_ns_, previous_, current_};
  return {Split(numbers_.period_ns).pack(ordinal_, current_), previous_, 0};
}

inline Instant SlidingWindow::full_at() const {
  if (current_ == 0 && previous_ == 0) return now_;
  if (numbers_.align == Align::epoch) return now_ + reset();
  // The windows go on from their first start until two have passed idle: until then the state says
  // where they begin, and forgetting it would show.
  const Duration to_next{numbers_.period_ns - elapsed_ns_};
  return now_ + to_next + Duration{current_ == 0 ? 0 : numbers_.period_ns};
}

}  // namespace weir::algo
