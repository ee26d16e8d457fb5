// The limits that match one request, each with its numbers, cost and key: what the store is asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/lazy_array.h"
#include "decide/decision.h"
#include "decide/plan.h"
#include "decide/snapshot.h"
#include "identity/caller.h"
#include "identity/facts.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::decide {

// How long the surface that asks can let a request wait for this limit.
Duration longest_delay(const identity::Facts& facts, const policy::Limit& limit);

// Fills `decision.verdicts` in charging order and the charges that go with them. A verdict that
// needs no counter (the tier says `deny`, a key part is missing and on_missing says `deny`) is
// decided here and has no charge.
class ChargeList {
 public:
  // What it held is overwritten.
  void collect(const Snapshot& snapshot, const identity::Facts& facts, identity::Caller& caller,
               Now now, Decision& decision);

  std::span<const store::Charge> charges() const { return {charges_.data(), count_}; }
  // The index into decision.verdicts of charge i.
  std::size_t verdict_of(std::size_t charge) const { return verdict_of_[charge]; }
  // What the store is asked. Where a limit has denied without a counter, the others only show what
  // they have.
  store::Request request(bool peek) const { return {charges(), peek || denied_}; }

 private:
  struct Context;
  void add(const Planned& limit, Context& context);
  void deny(LimitVerdict& verdict, Reason reason);

  base::LazyArray<store::Charge, store::kMaxCharges> charges_;
  std::array<std::uint8_t, store::kMaxCharges> verdict_of_;
  std::size_t count_ = 0;
  bool denied_ = false;
};

}  // namespace weir::decide
