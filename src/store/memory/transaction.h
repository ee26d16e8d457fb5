// One request under its locks: resolve every counter, check all, then commit all or nothing.
//
// Runs on one thread's stack; allocates nothing but the ring of a sliding_log that is charged.
#pragma once

#include <span>

#include "store/memory/table.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::store::memory {

// Decides each request in turn: Store::charge.
void charge(Table& table, std::span<const Request> requests, Now now, Sink& sink);

}  // namespace weir::store::memory
