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

#include "algo/numbers.h"
#include "algo/state.h"

namespace weir::algo {

template <typename Level>
Reason reason_of(const Level& level, std::uint64_t cost) {
  if (cost > level.limit()) return Reason::cost_exceeds_limit;
  return cost == 0 || level.fits(cost) ? Reason::admitted : Reason::limit_exceeded;
}

// Inlined always, as charge_level: what is put together in memory in small pieces and copied in
// large ones makes a processor wait for all that went before.
template <typename Level>
[[gnu::always_inline]] inline void tell(const Level& level, std::uint64_t cost, Reason reason,
                                        Duration delay, Outcome& out) {
  // Cost 0 asks about the next request, and that takes at least 1.
  const std::uint64_t asked = std::max<std::uint64_t>(cost, 1);
  out.admit = reason == Reason::admitted;
  out.reason = reason;
  out.overflow = false;
  out.limit = level.limit();
  out.remaining = level.remaining(asked);
  out.wait = {};
  if (reason == Reason::cost_exceeds_limit) {
    out.wait = Duration::max();
  } else if (!level.fits(asked)) {
    out.wait = level.wait(asked);
  }
  out.reset = level.reset();
  out.delay = delay;
}

template <typename Level>
Outcome peek_level(const Level& level, std::uint64_t cost) {
  const Reason reason = reason_of(level, cost);
  Outcome out;
  tell(level, cost, reason, reason == Reason::admitted ? level.delay(cost) : Duration{}, out);
  return out;
}

template <typename Level>
[[gnu::always_inline]] inline void charge_level(Level level, const State& state, std::uint64_t cost,
                                                Outcome& outcome, Change& change) {
  const Reason reason = reason_of(level, cost);
  const bool charged = reason == Reason::admitted && cost != 0;
  const Duration delay = charged ? level.delay(cost) : Duration{};
  if (charged) level.add(cost);
  const bool clamp = reason == Reason::limit_exceeded && level.clamped();
  tell(level, cost, reason, delay, outcome);
  change.next = charged || clamp ? level.state() : state;
  change.full_at = level.full_at();
}

}  // namespace weir::algo
