// One request under its locks: resolve every counter, check all, then commit all or nothing.
//
// Runs on one thread's stack; allocates nothing but the ring of a sliding_log that is charged.
#pragma once

#include <cstdint>
#include <span>

#include "store/memory/table.h"
#include "store/store.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::store::memory {

// Decides each request in turn: Store::charge.
void charge(Table& table, std::span<const Request> requests, Now now, Sink& sink);

// What a counter says to `cost` of this charge's limit; null is a full one. Changes nothing.
Outcome peek(const Counter* counter, const Charge& charge, std::uint64_t cost, Now now);

}  // namespace weir::store::memory
