// Where a server listens: a name or an address, and a port. A value.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::redis {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const Address&, const Address&) = default;
  friend bool operator==(const Address&, const Address&) = default;
};

// "host:port", an IPv6 address in brackets.
std::string text_of(const Address& address);
// As servers write it, "host:port", an IPv6 address without brackets; the host may be missing.
std::optional<Address> read_address(std::string_view text);

}  // namespace weir::redis
