// sliding_window: two counters for an estimate of the last window's usage.
#include "algo/sliding_window.h"

#include <algorithm>

#include "algo/level.h"
#include "algo/packed.h"
#include "base/u128.h"

namespace weir::algo {
namespace {

// What of `previous` still counts, `elapsed` into the next window.
std::uint64_t share(std::uint64_t previous, std::uint64_t elapsed, std::uint64_t window) {
  if (previous == 0) return 0;
  return base::mul_div_ceil(previous, window - elapsed, window) - 1;
}

// The first `elapsed` at which share() is at most `room`; below the window whenever
// previous <= window * (room + 1).
//   share <= room  <=>  previous * (window - elapsed) <= (room + 1) * window
std::uint64_t shrinks_to(std::uint64_t room, std::uint64_t previous, std::uint64_t window) {
  if (previous == 0) return 0;
  return detail::saturating_sub(window, base::mul_div_floor(room + 1, window, previous));
}

}  // namespace

SlidingWindow::SlidingWindow(const Numbers& numbers, const State& state, Now now)
    : numbers_(numbers), now_(now.steady) {
  if (numbers.align == Align::epoch) {
    read_epoch(state, now.wall());
  } else {
    read_first(state);
  }
}

void SlidingWindow::read_epoch(const State& state, Instant wall) {
  const Split split(numbers_.period_ns);
  ordinal_ = wall.ns / numbers_.period_ns;
  elapsed_ns_ = wall.ns % numbers_.period_ns;
  const Packed stored = split.unpack(state.a);
  if (stored.count == 0 && state.b == 0) return;
  const std::int64_t behind = split.behind(ordinal_, stored.ordinal);
  clamped_ = behind < 0;
  place(clamped_ ? 0 : static_cast<std::uint64_t>(behind), state.b, stored.count);
}

void SlidingWindow::read_first(const State& state) {
  if (state.b == 0 && state.c == 0) return;
  clamped_ = state.a > now_.ns;
  const std::uint64_t since = clamped_ ? 0 : now_.ns - state.a;
  place(since / numbers_.period_ns, state.b, state.c);
  // With nothing left to count, the next request starts afresh.
  if (current_ != 0 || previous_ != 0) elapsed_ns_ = since % numbers_.period_ns;
}

void SlidingWindow::place(std::uint64_t windows_behind, std::uint64_t previous,
                          std::uint64_t current) {
  if (windows_behind == 0) {
    previous_ = previous;
    current_ = current;
  } else if (windows_behind == 1) {
    previous_ = current;
  }
}

std::uint64_t SlidingWindow::remaining(std::uint64_t) const {
  const std::uint64_t left = detail::saturating_sub(numbers_.count, current_);
  return detail::saturating_sub(left, share(previous_, elapsed_ns_, numbers_.period_ns));
}

Duration SlidingWindow::wait(std::uint64_t cost) const {
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

void SlidingWindow::take_back(std::uint64_t cost) {
  const std::uint64_t from_current = std::min(cost, current_);
  current_ -= from_current;
  previous_ = detail::saturating_sub(previous_, cost - from_current);
}

State SlidingWindow::state() const {
  if (current_ == 0 && previous_ == 0) return {};
  if (numbers_.align == Align::first) return {now_.ns - elapsed_ns_, previous_, current_};
  return {Split(numbers_.period_ns).pack(ordinal_, current_), previous_, 0};
}

Instant SlidingWindow::full_at() const {
  if (current_ == 0 && previous_ == 0) return now_;
  if (numbers_.align == Align::epoch) return now_ + reset();
  // The windows go on from their first start until two have passed idle: until then the state says
  // where they begin, and forgetting it would show.
  const Duration to_next{numbers_.period_ns - elapsed_ns_};
  return now_ + to_next + Duration{current_ == 0 ? 0 : numbers_.period_ns};
}

Step charge_sliding(const Numbers& numbers, const State& state, std::uint64_t cost, Now now) {
  return charge_level(SlidingWindow(numbers, state, now), state, cost);
}

Outcome peek_sliding(const Numbers& numbers, const State& state, std::uint64_t cost, Now now) {
  return peek_level(SlidingWindow(numbers, state, now), cost);
}

}  // namespace weir::algo
