// A policy as it would be under another algorithm, on the same budget: what `--algorithms all`
// replays side by side.
//
// Same budget: every limit keeps its count and period as they are written. A window of 600 a minute
// becomes a bucket of rate 600 a minute and burst 600; a bucket of 10 a second with burst 20 a
// window of 10 a second; a queue holds what the burst did.
#pragma once

#include <array>

#include "policy/policy.h"
#include "weir/decision.h"
#include "weir/result.h"

namespace weir::traffic {

inline constexpr std::array kAlgorithms{Algorithm::token_bucket, Algorithm::fixed_window,
                                        Algorithm::sliding_window, Algorithm::sliding_log,
                                        Algorithm::leaky_bucket};

// Changes every limit of a policy that no engine has adopted yet. An error names the limit whose
// numbers the algorithm cannot have (a sliding_log beyond its largest count).
Result<void> use_algorithm(policy::Policy& policy, Algorithm algorithm);

}  // namespace weir::traffic
