#include "redis/directory.h"

#include <algorithm>
#include <charconv>

namespace weir::redis {

using wire::RespItems;
using wire::RespType;
using wire::RespValue;

namespace {

std::optional<std::uint16_t> slot_number(const RespValue& value) {
  if (value.type != RespType::integer || value.integer < 0 || value.integer >= kClusterSlots) {
    return {};
  }
  return static_cast<std::uint16_t>(value.integer);
}

// Host and port, then whatever else. A node whose host nobody knows ("?") cannot be reached.
std::optional<Address> node_of(const RespValue& node, const Address& asked) {
  if (node.type != RespType::array || node.items < 2) return {};
  auto item = RespItems(node).begin();
  const RespValue& host = *item;
  ++item;
  const RespValue& port = *item;
  if (port.type != RespType::integer || port.integer < 1 || port.integer > 65'535) return {};
  Address address{std::string(host.text), static_cast<std::uint16_t>(port.integer)};
  if (host.type == RespType::null || host.text.empty()) address.host = asked.host;
  if (address.host == "?") return {};
  return address;
}

// First slot, last slot, the primary, then its replicas.
bool read_range(const RespValue& range, const Address& asked, Directory& directory) {
  if (range.type != RespType::array || range.items < 3) return false;
  std::optional<std::uint16_t> first;
  std::optional<std::uint16_t> last;
  int at = 0;
  for (const RespValue& item : RespItems(range)) {
    if (at == 0) {
      if (!(first = slot_number(item))) return false;
    } else if (at == 1) {
      if (!(last = slot_number(item)) || *last < *first) return false;
    } else {
      if (item.type != RespType::array) return false;
      const auto node = node_of(item, asked);
      if (node && at == 2) directory.assign(*first, *last, *node);
      if (node && at > 2) directory.add_replica(*node);
    }
    ++at;
  }
  return true;
}

}  // namespace

Directory Directory::of(const Address& server) {
  Directory directory;
  directory.one_for_all_ = true;
  directory.keepers_ = {server};
  return directory;
}

const Address* Directory::keeper(std::uint16_t slot) const {
  if (one_for_all_) return &keepers_.front();
  if (of_slot_.empty() || of_slot_[slot] == kNobody) return nullptr;
  return &keepers_[of_slot_[slot]];
}

std::size_t Directory::slots_served() const {
  return static_cast<std::size_t>(std::count_if(of_slot_.begin(), of_slot_.end(),
                                                [](std::uint16_t i) { return i != kNobody; }));
}

std::uint16_t Directory::index_of(const Address& address) {
  const auto found = std::find(keepers_.begin(), keepers_.end(), address);
  if (found == keepers_.end()) {
    keepers_.push_back(address);
    return static_cast<std::uint16_t>(keepers_.size() - 1);
  }
  return static_cast<std::uint16_t>(found - keepers_.begin());
}

void Directory::assign(std::uint16_t first, std::uint16_t last, const Address& to) {
  of_slot_.resize(kClusterSlots, kNobody);
  const std::uint16_t index = index_of(to);
  std::fill(of_slot_.begin() + first, of_slot_.begin() + last + 1, index);
}

void Directory::move(std::uint16_t slot, const Address& to) { assign(slot, slot, to); }

void Directory::add_replica(const Address& address) {
  if (std::find(replicas_.begin(), replicas_.end(), address) != replicas_.end()) return;
  replicas_.push_back(address);
}

std::optional<Directory> read_cluster_slots(const RespValue& reply, const Address& asked) {
  if (reply.type != RespType::array) return {};
  Directory directory;
  for (const RespValue& range : RespItems(reply)) {
    if (!read_range(range, asked, directory)) return {};
  }
  return directory;
}

std::optional<Redirect> read_redirect(std::string_view error_reply, const Address& asked) {
  const std::size_t space = error_reply.find(' ');
  if (space == std::string_view::npos) return {};
  std::string_view rest = error_reply.substr(space + 1);
  Redirect redirect;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), redirect.slot);
  if (error != std::errc{} || redirect.slot >= kClusterSlots) return {};
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!rest.starts_with(' ')) return {};
  const auto address = read_address(rest.substr(1, rest.find(' ', 1) - 1));
  if (!address || address->host == "?") return {};
  redirect.to = *address;
  if (redirect.to.host.empty()) redirect.to.host = asked.host;
  return redirect;
}

}  // namespace weir::redis
