#include "redis/address.h"

#include <charconv>

namespace weir::redis {

std::optional<Address> read_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  Address address{std::string(text.substr(0, colon)), 0};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size() || address.port == 0) return {};
  return address;
}

}  // namespace weir::redis
