// The structural lint: what a policy that loads may still do wrong, found without any traffic.
//
//   Findings findings = design::lint::run(snapshot, text, clock.now().wall());
//
// Every code is a row of the catalogue (catalogue.h) with its severity and its page. Pure;
// thread-safe; costs limits^2 x classes / 64 at worst, about what loading the policy costs.
#pragma once

#include <string_view>

#include "decide/snapshot.h"
#include "policy/position.h"
#include "weir/clock.h"

namespace weir::design::lint {

// `text` is the source of the policy, for the positions of keys that a Policy does not keep; `now`
// is Unix time. In file order; every finding names policy->file. What `loaded`, the loader's own
// findings, says by the same code is not repeated.
policy::Findings run(const decide::Snapshot& snapshot, std::string_view text, Instant now,
                     const policy::Findings& loaded = {});

}  // namespace weir::design::lint
