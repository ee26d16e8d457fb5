// What is asked of a state.
#include "algo/step.h"

namespace weir::algo {
namespace {

// The state after a refund; unchanged where there is nothing to give back.
template <typename Level>
State taken_back(Level level, const State& state, std::uint64_t cost, Instant now) {
  if (cost == 0 || level.full_at() <= now) return state;
  level.take_back(cost);
  return level.state();
}

}  // namespace

Step charge(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
            Duration max_delay) {
  Step step;
  charge(numbers, state, cost, now, max_delay, step.outcome, step);
  return step;
}

Outcome peek(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
             Duration max_delay) {
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
      return peek_level(TokenBucket(numbers, state, now, max_delay), cost);
    case Algorithm::leaky_bucket:
      return peek_level(LeakyBucket(numbers, state, now, max_delay), cost);
    case Algorithm::fixed_window:
      return peek_level(FixedWindow(numbers, state, now), cost);
    case Algorithm::sliding_window:
      return peek_level(SlidingWindow(numbers, state, now), cost);
    case Algorithm::sliding_log:
      break;
  }
  assert(!"a sliding_log keeps a Log, not a State");
  return {};
}

State refund(const Numbers& numbers, const State& state, std::uint64_t cost, Now now) {
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
      return taken_back(TokenBucket(numbers, state, now, kAnyDelay), state, cost, now.steady);
    case Algorithm::leaky_bucket:
      return taken_back(LeakyBucket(numbers, state, now, kAnyDelay), state, cost, now.steady);
    case Algorithm::fixed_window:
      return taken_back(FixedWindow(numbers, state, now), state, cost, now.steady);
    case Algorithm::sliding_window:
      return taken_back(SlidingWindow(numbers, state, now), state, cost, now.steady);
    case Algorithm::sliding_log:
      break;
  }
  assert(!"a sliding_log keeps a Log, not a State");
  return state;
}

Instant full_at(const Numbers& numbers, const State& state, Now now) {
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
      return TokenBucket(numbers, state, now, kAnyDelay).full_at();
    case Algorithm::leaky_bucket:
      return LeakyBucket(numbers, state, now, kAnyDelay).full_at();
    case Algorithm::fixed_window:
      return FixedWindow(numbers, state, now).full_at();
    case Algorithm::sliding_window:
      return SlidingWindow(numbers, state, now).full_at();
    case Algorithm::sliding_log:
      break;
  }
  assert(!"a sliding_log keeps a Log, not a State");
  return now.steady;
}

}  // namespace weir::algo
