// IP addresses by their bits, and networks of them.
//
// An Address is 16 bytes; IPv4 is held IPv4-mapped and recognised by those bits, never by spelling,
// so ::ffff:198.51.100.9, ::ffff:c633:6409 and 198.51.100.9 are one address. Values; no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir::policy {

struct Address {
  std::array<std::uint8_t, 16> bytes{};

  bool is_v4() const;
  friend auto operator<=>(const Address&, const Address&) = default;

  // Strict: no leading zeros in IPv4, no zone, no port, no brackets, no spaces.
  static std::optional<Address> parse(std::string_view text);
  // As parse, and also `a.b.c.d:port`, `[v6]` and `[v6]:port`, which gateways write.
  static std::optional<Address> parse_with_port(std::string_view text);

  // The first `v4` bits of an IPv4 address or `v6` bits of an IPv6 one, the rest zero.
  Address masked(unsigned v4, unsigned v6) const;
  std::string text() const;  // RFC 5952; IPv4 dotted
  // Writes text() into `out` (at least 46 bytes); returns the part written.
  std::string_view write(std::span<char> out) const;
};

struct Cidr {
  Address base;
  unsigned prefix = 128;  // in the 128-bit form: an IPv4 /24 is 120

  static std::optional<Cidr> parse(std::string_view text);  // "10.0.0.0/8", "2001:db8::/32", "::1"
  bool contains(const Address& address) const;
  std::string text() const;
};

// Linear; policies have few networks. (A trie when one needs more.)
bool contains(std::span<const Cidr> networks, const Address& address);

}  // namespace weir::policy
