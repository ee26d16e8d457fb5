// Where a server listens, as Redis servers write it.
#pragma once

#include <optional>
#include <string_view>

#include "base/host_port.h"

namespace weir::redis {

using Address = base::HostPort;

// "host:port", an IPv6 address without brackets; the host may be missing.
std::optional<Address> read_address(std::string_view text);

}  // namespace weir::redis
