// The caller's own usage, over all limits that could ever apply to it. Charges nothing.
//
// {tier, account, limits: [{name, class, unit, limit, used, remaining, window_ms, reset_ms,
// mode}]}; `class` is null where a limit's key does not hold the class (one counter for all of
// them). Costs one look at the store a class; not for a hot path.
#pragma once

#include <string>

#include "decide/engine.h"
#include "identity/facts.h"
#include "weir/clock.h"

namespace weir::serve {

void append_usage(std::string& out, decide::Engine& engine, const decide::Snapshot& snapshot,
                  const identity::Facts& facts, Now now);

}  // namespace weir::serve
