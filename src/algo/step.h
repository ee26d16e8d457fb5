// One decision of one limit as a pure function: (state, numbers, cost, now) -> (verdict, state).
//
//   State s;                                     // all zero: nothing was ever charged
//   Step step = charge(numbers, s, 1, now);
//   if (step.outcome.admit) s = step.next;
//
// A denial's `next` differs from `s` only where s lay beyond what these numbers can owe (clamped).
//
// This is the one place that knows which algorithm is which, but for sliding_log, which has its own
// type (log.h). Nothing here allocates, throws or reads a clock.
//
// `now.steady` does not go back between two calls on one state: a store gives the largest instant
// that it has decided at. (A denial that clamped at an older one would forgive what is owed.)
#pragma once

#include <cassert>
#include <cstdint>

#include "algo/bucket.h"
#include "algo/fixed_window.h"
#include "algo/level.h"
#include "algo/numbers.h"
#include "algo/sliding_window.h"
#include "algo/state.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::algo {

// The longest delay a surface can wait out: a surface that cannot wait passes Duration{0}, and a
// leaky_bucket then denies what it would have delayed, with wait = that delay.
inline constexpr Duration kAnyDelay = Duration::max();

// Each result in its caller's place. `state` is not `change.next`.
[[gnu::always_inline]] inline void charge(const Numbers& numbers, const State& state,
                                          std::uint64_t cost, Now now, Duration max_delay,
                                          Outcome& outcome, Change& change) {
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
      return charge_level(TokenBucket(numbers, state, now, max_delay), state, cost, outcome,
                          change);
    case Algorithm::leaky_bucket:
      return charge_level(LeakyBucket(numbers, state, now, max_delay), state, cost, outcome,
                          change);
    case Algorithm::fixed_window:
      return charge_level(FixedWindow(numbers, state, now), state, cost, outcome, change);
    case Algorithm::sliding_window:
      return charge_level(SlidingWindow(numbers, state, now), state, cost, outcome, change);
    case Algorithm::sliding_log:
      break;
  }
  assert(!"a sliding_log keeps a Log, not a State");
}

Step charge(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
            Duration max_delay = kAnyDelay);

// The verdict alone: what `charge` would say, with the counters as they are (E2's peek).
Outcome peek(const Numbers& numbers, const State& state, std::uint64_t cost, Now now,
             Duration max_delay = kAnyDelay);

// Gives `cost` back, at most what is owed: never above full.
State refund(const Numbers& numbers, const State& state, std::uint64_t cost, Now now);

// The steady instant from which `state` equals full; from then on it may be forgotten.
Instant full_at(const Numbers& numbers, const State& state, Now now);

}  // namespace weir::algo
