// From what each limit said to what the request is told: admit, status, waits, governing limit.
#pragma once

#include "decide/decision.h"
#include "policy/policy.h"

namespace weir::decide {

// Enforced limits alone decide and govern. Denied: the denying limit with the longest wait governs.
// Admitted: the one with room for the fewest such requests, tie: the longest time to full (I6).
void fold(const policy::Policy& policy, Decision& decision);

}  // namespace weir::decide
