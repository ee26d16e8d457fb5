// What is decided when the store gave no verdict: each limit's failure policy, in its place.
//
// `open` lets the request through uncounted; `closed` denies it with 503; `local` charges a memory
// store of this process, with this instance's share of the numbers. All or nothing as ever: where a
// `closed` limit denies, no local one is charged.
#pragma once

#include "decide/charge_list.h"
#include "decide/decision.h"
#include "policy/policy.h"
#include "store/store.h"

namespace weir::decide {

// `local` answers at once; null: `local` limits deny as `closed` ones do. `peek` as in the request
// that failed. Sets `degraded`, the outcomes, and `failed` of the limits that nobody counted.
void apply_failure_policy(const policy::Policy& policy, const ChargeList& charges, bool peek,
                          store::Store* local, Now now, Decision& decision);

// One instance's share of a limit: max(1, floor(limit / instances)), at the rate that goes with it.
algo::Numbers share_of(const algo::Numbers& numbers, std::uint64_t instances);

}  // namespace weir::decide
