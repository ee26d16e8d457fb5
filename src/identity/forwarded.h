// The Forwarded header (RFC 7239): its elements, and the address an element is `for`.
//
// Views; no allocation. An element is read strictly: what RFC 7239 does not allow has no address.
#pragma once

#include <optional>
#include <string_view>

#include "policy/cidr.h"

namespace weir::identity {

// The trimmed element at the right end of `rest`, which is cut off it with its comma. Commas in
// quoted strings do not separate; quotes are paired from the right.
std::string_view take_last_element(std::string_view& rest);

// The address of the one `for` parameter: an address, with or without a port (`"[v6]:port"`). None
// for `unknown`, an obfuscated name, and whatever is malformed.
std::optional<policy::Address> forwarded_for(std::string_view element);

}  // namespace weir::identity
