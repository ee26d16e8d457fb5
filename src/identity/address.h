// The client's address: the right-most untrusted hop.
//
// The peer, unless it is a trusted proxy; then the one configured header is walked from the right
// past trusted proxies (http.md of the design: the vectors are in address_test.cc). Forms it
// accepts: port and brackets stripped, zone refused, IPv4-mapped by bits. No allocation.
#pragma once

#include <span>

#include "identity/facts.h"
#include "policy/cidr.h"
#include "policy/policy.h"

namespace weir::identity {

// Not yet cut to a prefix. `peer` itself where no header may be believed.
policy::Address client_address(const policy::Listeners& listeners, const policy::Address& peer,
                               std::span<const Field> headers);

}  // namespace weir::identity
