// What a policy does, limit by limit: the JSON of `weir explain --format json`, and its text.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "decide/snapshot.h"

namespace weir::cli {

// {policy, tiers, classes, limits, guarantees, overrides}
boost::json::object explain_policy(const decide::Snapshot& snapshot);
std::string policy_text(const boost::json::object& explained);

// A limit's key as typed: "[client, class]", or "global".
std::string key_text(const policy::Limit& limit);
// "`POST /v1/login`"
std::string pattern_text(const policy::Pattern& pattern);

}  // namespace weir::cli
