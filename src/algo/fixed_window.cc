// fixed_window: a counter that starts anew with each window.
#include "algo/fixed_window.h"

#include "algo/level.h"
#include "algo/packed.h"

namespace weir::algo {

FixedWindow::FixedWindow(const Numbers& numbers, const State& state, Now now)
    : numbers_(numbers), now_(now.steady) {
  if (numbers.align == Align::epoch) {
    read_epoch(state, now.wall());
  } else {
    read_first(state);
  }
}

void FixedWindow::read_epoch(const State& state, Instant wall) {
  const Split split(numbers_.period_ns);
  ordinal_ = wall.ns / numbers_.period_ns;
  elapsed_ns_ = wall.ns % numbers_.period_ns;
  const Packed stored = split.unpack(state.a);
  const std::int64_t behind = split.behind(ordinal_, stored.ordinal);
  if (stored.count == 0 || behind > 0) return;
  count_ = stored.count;
  clamped_ = behind < 0;
}

void FixedWindow::read_first(const State& state) {
  if (state.b == 0) return;
  const Duration elapsed = now_ - Instant{state.a};  // zero for a start in the future
  if (elapsed.ns >= numbers_.period_ns) return;
  elapsed_ns_ = elapsed.ns;
  count_ = state.b;
  clamped_ = state.a > now_.ns;
}

State FixedWindow::state() const {
  if (count_ == 0) return {};
  if (numbers_.align == Align::first) return {now_.ns - elapsed_ns_, count_, 0};
  return {Split(numbers_.period_ns).pack(ordinal_, count_), 0, 0};
}

Step charge_fixed(const Numbers& numbers, const State& state, std::uint64_t cost, Now now) {
  return charge_level(FixedWindow(numbers, state, now), state, cost);
}

Outcome peek_fixed(const Numbers& numbers, const State& state, std::uint64_t cost, Now now) {
  return peek_level(FixedWindow(numbers, state, now), cost);
}

}  // namespace weir::algo
