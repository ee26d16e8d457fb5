// One decision of one limit as a pure function: (state, numbers, cost, now) -> (verdict, state).
//
//   State s;                                     // all zero: nothing was ever charged
//   Step step = charge(numbers, s, 1, now);
//   if (step.outcome.admit) s = step.next;
//
// A denial's `next` differs from `s` only where s lay beyond what these numbers can owe (clamped).
//
// A State holds no numbers: they are applied when it is read, so a tier, an override or a reload
// takes effect at once. token_bucket and leaky_bucket keep one instant (the theoretical arrival
// time, on the steady clock): `state.a <= now` means full whatever the numbers are. fixed_window
// and sliding_window keep an ordinal and counts, split by the window (packed.h). sliding_log has
// its own type (log.h). Nothing here allocates, throws or reads a clock.
//
// `now.steady` does not go back between two calls on one state: a store gives the largest instant
// that it has decided at. (A denial that clamped at an older one would forgive what is owed.)
#pragma once

#include <cstdint>

#include "algo/numbers.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::algo {

struct State {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;

  friend bool operator==(const State&, const State&) = default;
};

struct Step {
  Outcome outcome;
  State next;
  Instant full_at;  // the steady instant from which `next` equals full
};

// The longest delay a surface can wait out: a surface that cannot wait passes Duration{0}, and a
// leaky_bucket then denies what it would have delayed, with wait = that delay.
inline constexpr Duration kAnyDelay = Duration::max();

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
