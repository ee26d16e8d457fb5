// Where a server listens: a name or an address, and a port. A value.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace weir::base {

struct HostPort {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const HostPort&, const HostPort&) = default;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// "host:port", an IPv6 address in brackets.
inline std::string text_of(const HostPort& server) {
  const bool v6 = server.host.find(':') != std::string::npos;
  return (v6 ? "[" + server.host + "]" : server.host) + ":" + std::to_string(server.port);
}

}  // namespace weir::base
