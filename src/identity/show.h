// How operators see the value of an identity key: in logs, metrics' exemplars, the admin API.
//
//   show_value(key.show, "wk_3f9c...")   // "sha256:1f0a9b0c2d3e4f50", "...9c1d" or the value
//
// Whatever the setting, the result is printable UTF-8: what is not is escaped as \xNN. It is for
// people; never part of a counter's key. Allocates; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "policy/policy.h"

namespace weir::identity {

// hash: "sha256:" and 16 hex digits, the first of what the accounts file holds. last4: the last
// four characters, but the hash where those would be a third of the value or more.
std::string show_value(policy::Show show, std::string_view value);

}  // namespace weir::identity
