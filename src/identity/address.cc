// Walking X-Forwarded-For, Forwarded or a single-value header from the right.
//
// The lists are read from their right end, where the trusted proxy wrote, so that whatever a client
// put to the left of it (an unbalanced quote, say) cannot change how the proxy's entry is read.
#include "identity/address.h"

#include "identity/fields.h"
#include "identity/forwarded.h"

namespace weir::identity {

namespace {

using policy::Address;

// The entry of a list at the right end of `rest`, which is cut off it with its comma.
std::string_view take_last_entry(std::string_view& rest) {
  const std::size_t comma = rest.rfind(',');
  const std::string_view entry = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
  rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(0, comma);
  return trim(entry);
}

// Walks the field lines of one header from the right: past trusted proxies, to the first entry that
// is not one. Where an entry says nothing usable, the hop that reported it is as far as we know.
template <typename TakeLast, typename Parse>
Address walk(const policy::Listeners& listeners, Address peer, std::span<const Field> headers,
             std::string_view name, TakeLast take_last, Parse parse) {
  Address known = peer;
  for (auto line = headers.rbegin(); line != headers.rend(); ++line) {
    if (!is_header(*line, name)) continue;
    std::string_view rest = line->value;
    while (!rest.empty()) {
      const std::string_view entry = take_last(rest);
      if (entry.empty()) continue;
      const std::optional<Address> address = parse(entry);
      if (!address) return known;
      known = *address;
      if (!policy::contains(listeners.trusted_proxies, known)) return known;
    }
  }
  return known;
}

}  // namespace

Address client_address(const policy::Listeners& listeners, const Address& peer,
                       std::span<const Field> headers) {
  if (listeners.client_address == policy::ClientAddress::peer ||
      !policy::contains(listeners.trusted_proxies, peer)) {
    return peer;
  }
  switch (listeners.client_address) {
    case policy::ClientAddress::peer:
      break;
    case policy::ClientAddress::x_forwarded_for:
      return walk(listeners, peer, headers, "x-forwarded-for", take_last_entry,
                  Address::parse_with_port);
    case policy::ClientAddress::forwarded:
      return walk(listeners, peer, headers, "forwarded", take_last_element, forwarded_for);
    case policy::ClientAddress::single_header: {
      const auto value = single_header(headers, listeners.client_address_header);
      const auto address = value ? Address::parse_with_port(*value) : std::nullopt;
      return address.value_or(peer);
    }
  }
  return peer;
}

}  // namespace weir::identity
