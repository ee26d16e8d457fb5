// The servers of a store, and which of them keeps what: one, or the nodes of a cluster.
//
//   Fleet fleet(make);                       // make(address): a Server, not yet started
//   fleet.adopt(directory);
//   if (Server* server = fleet.at(slot)) server->push(w);
//
// On the store's thread only. A server that keeps nothing any more is left once nothing waits for
// it: at once where it cannot be reached, else after kFarewell, as a cluster that moves slots may
// send requests there again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "redis/directory.h"
#include "redis/server.h"

namespace weir::redis {

class Fleet {
 public:
  using Make = std::function<std::shared_ptr<Server>(const Address&)>;
  static constexpr Duration kFarewell = seconds(10);

  explicit Fleet(Make make) : make_(std::move(make)) {}

  // Requests that waited for a server that is left are handed to `again`.
  void adopt(Directory directory, const std::function<void(Waiting&)>& again);
  void move(std::uint16_t slot, const Address& to);
  bool known() const { return !directory_.empty(); }
  const Directory& directory() const { return directory_; }

  // Null: nobody serves the slot.
  Server* at(std::uint16_t slot) const {
    return by_slot_.empty() ? nullptr : by_slot_[by_slot_.size() == 1 ? 0 : slot];
  }
  // A server that somebody has named.
  Server& of(const Address& address);

  void flush();
  void stop();

  unsigned connected() const;  // sockets
  std::size_t keepers() const { return directory_.keepers().size(); }
  std::size_t ready() const;       // keepers with a connection
  Breaker::State breaker() const;  // the worst of the keepers'

 private:
  struct Member {
    std::shared_ptr<Server> server;
    Instant kept;  // when it last was in the directory, or named
  };

  void fill_slots();
  void leave(const std::function<void(Waiting&)>& again);
  bool keeps(const Address& address) const;

  Make make_;
  Directory directory_;
  std::map<Address, Member> members_;
  std::vector<Server*> by_slot_;
  std::vector<Server*> flushing_;
};

}  // namespace weir::redis
