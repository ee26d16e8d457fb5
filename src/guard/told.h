// What the store last said of one counter, and what follows from it as time passes: whether a
// charge that it denied is denied still.
//
//   if (const auto outcome = denied_still(told, numbers, cost, max_delay, now)) ...  // no question
//
// Charges of others only make a denial last longer, so it holds until the instant at which the
// store said the cost fits, unless somebody gives back, forgets the counter or changes its numbers:
// who keeps a Told sees to that (table.h) and bounds how long one is believed.
//
// Two clocks: `now` is this machine's steady one, the store has its own. The store decided between
// `asked` and `answered`, so what its clock shows now lies between two bounds. A denial is said
// only if it holds at the later one, and its wait is counted from the earlier one: it never lasts
// longer than the store said, and who waits as told is not too early. Values; pure.
#pragma once

#include <cstdint>
#include <optional>

#include "algo/numbers.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::guard {

struct Told {
  Outcome outcome;
  std::uint64_t cost = 0;  // that it was said of; 0: it is not to be used
  Duration max_delay;
  Now at;  // the store's clock
  Instant asked, answered;

  // Takes what was said later. What a charge has left behind says when a bucket is full, and so all
  // there is to say of it; of the others it does not say what another charge would be told.
  void hear(const Told& later, bool charged, const algo::Numbers& numbers);

  // What the store's clock shows at `now`, at most (where clocks are slewed by a part in a
  // thousand) and at least.
  Instant latest(Instant now) const;
  Instant earliest(Instant now) const;
  // The same as a store's Now.
  Now store_now(Instant now) const { return {earliest(now), at.wall_offset_ns}; }
};

// What the store would say to the charge now, where that is certainly a denial.
std::optional<Outcome> denied_still(const Told& told, const algo::Numbers& numbers,
                                    std::uint64_t cost, Duration max_delay, Instant now);

// What the store would say now if nobody else had charged: of the limits beside one that denies.
std::optional<Outcome> shown(const Told& told, const algo::Numbers& numbers, std::uint64_t cost,
                             Duration max_delay, Instant now);

// What it would have said to the charge at the instant at which it last spoke, where that is a
// denial. Its wait and reset are counted from `now`.
std::optional<Outcome> denied_then(const Told& told, const algo::Numbers& numbers,
                                   std::uint64_t cost, Duration max_delay, Instant now);

// What is left of `length`, counted from the instant at which the store spoke.
Duration left_of(const Told& told, Duration length, Instant now);
// How long until the cost fits, at most, by what the store said.
Duration wait_for(const Told& told, const algo::Numbers& numbers, std::uint64_t cost, Instant now);

}  // namespace weir::guard
