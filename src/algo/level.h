// How every algorithm decides, given its Level: what one counter holds at one instant.
//
// A Level is a small value made from (numbers, state, now) with
//   limit()          the most that ever fits
//   remaining(cost)  what still fits, 0 to limit()
//   fits(cost)       whether `cost` (1 to limit()) is admitted now
//   wait(cost)       until it first is, 0 if now
//   reset()          what Outcome::reset says
//   delay(cost)      what an admitted caller waits out (0 but for leaky_bucket)
//   add(cost)        charges it; state() is what is to be stored
//   full_at()        the steady instant from which it equals full
//   clamped()        the stored state lay beyond what these numbers can owe, or in the future
// This file turns one into a verdict, the same way for all: cost 0 is admitted and changes nothing,
// a cost above the limit never fits, and a denial stores at most the clamped state, without which
// the wait that it announces would not be true.
#pragma once

#include <algorithm>
#include <cstdint>

#include "algo/step.h"

namespace weir::algo {

template <typename Level>
Outcome outcome_of(const Level& level, std::uint64_t cost, bool admit, Reason reason) {
  // Cost 0 asks about the next request, and that takes at least 1.
  const std::uint64_t asked = std::max<std::uint64_t>(cost, 1);
  Outcome out;
  out.admit = admit;
  out.reason = reason;
  out.limit = level.limit();
  out.remaining = level.remaining(asked);
  out.wait = reason == Reason::cost_exceeds_limit ? Duration::max() : level.wait(asked);
  out.reset = level.reset();
  return out;
}

template <typename Level>
Outcome peek_level(const Level& level, std::uint64_t cost) {
  if (cost > level.limit()) return outcome_of(level, cost, false, Reason::cost_exceeds_limit);
  if (cost != 0 && !level.fits(cost)) return outcome_of(level, cost, false, Reason::limit_exceeded);
  Outcome out = outcome_of(level, cost, true, Reason::admitted);
  out.delay = level.delay(cost);
  return out;
}

template <typename Level>
Step charge_level(Level level, const State& state, std::uint64_t cost) {
  if (cost == 0 || cost > level.limit()) return {peek_level(level, cost), state, level.full_at()};
  if (!level.fits(cost)) {
    return {outcome_of(level, cost, false, Reason::limit_exceeded),
            level.clamped() ? level.state() : state, level.full_at()};
  }
  const Duration delay = level.delay(cost);
  level.add(cost);
  Step step{outcome_of(level, cost, true, Reason::admitted), level.state(), level.full_at()};
  step.outcome.delay = delay;
  return step;
}

}  // namespace weir::algo
