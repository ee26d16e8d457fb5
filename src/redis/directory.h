// Which server keeps which counters. No I/O.
//
//   Directory directory = Directory::of(server);            // one keeps all
//   auto map = read_cluster_slots(reply, asked);            // of CLUSTER SLOTS
//   const Address* keeper = map->keeper(slot);              // null: no server serves it
//
// Values. A cluster's nodes may answer with the host left empty: that of the node that was asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "redis/key_name.h"
#include "wire/resp.h"

namespace weir::redis {

class Directory {
 public:
  static Directory of(const Address& server);

  // Those that keep something; then those that could.
  const std::vector<Address>& keepers() const { return keepers_; }
  const std::vector<Address>& replicas() const { return replicas_; }
  const Address* keeper(std::uint16_t slot) const;
  std::size_t slots_served() const;
  bool empty() const { return keepers_.empty(); }

  // The slot, as a server has just said, is another's.
  void move(std::uint16_t slot, const Address& to);
  // A range of slots, both ends included.
  void assign(std::uint16_t first, std::uint16_t last, const Address& to);
  void add_replica(const Address& address);

 private:
  static constexpr std::uint16_t kNobody = 0xffff;
  std::uint16_t index_of(const Address& address);

  bool one_for_all_ = false;
  std::vector<Address> keepers_;
  std::vector<Address> replicas_;
  std::vector<std::uint16_t> of_slot_;  // an index into keepers_
};

// Empty: the reply is not one of CLUSTER SLOTS.
std::optional<Directory> read_cluster_slots(const wire::RespValue& reply, const Address& asked);

// What an error reply says: MOVED 3999 host:port, ASK 3999 host:port.
struct Redirect {
  std::uint16_t slot = 0;
  Address to;
};
std::optional<Redirect> read_redirect(std::string_view error_reply, const Address& asked);

}  // namespace weir::redis
