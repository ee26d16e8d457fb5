// What a store keeps of one counter, and what a charge makes of it.
//
// A State holds no numbers: they are applied when it is read, so a tier, an override or a reload
// takes effect at once. token_bucket and leaky_bucket keep one instant (the theoretical arrival
// time, on the steady clock): `state.a <= now` means full whatever the numbers are. fixed_window
// and sliding_window keep an ordinal and counts, split by the window (packed.h). Values.
#pragma once

#include <cstdint>

#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::algo {

struct State {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;

  friend bool operator==(const State&, const State&) = default;
};

struct Change {
  State next;
  Instant full_at;  // the steady instant from which `next` equals full
};

struct Step : Change {
  Outcome outcome;
};

}  // namespace weir::algo
