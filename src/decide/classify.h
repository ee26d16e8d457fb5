// The route class of a request: by path in the route table, by attribute besides it; the earliest
// class of the file wins.
#pragma once

#include "decide/snapshot.h"
#include "identity/caller.h"
#include "identity/facts.h"
#include "policy/policy.h"

namespace weir::decide {

// A request without a target (a job, a gRPC caller) has no route: attributes, then `default`.
policy::ClassId classify(const Snapshot& snapshot, const identity::Facts& facts,
                         identity::Caller& caller);

// A CORS preflight asks nothing of the API and cannot carry a key: no limit counts or refuses it.
bool is_preflight(const identity::Facts& facts);

}  // namespace weir::decide
