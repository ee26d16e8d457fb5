// A real cluster for a test: primaries without replicas, on free ports of 127.0.0.1.
//
//   RedisCluster cluster(3);              // all slots are served when the constructor returns
//   cluster.url()                         // redis+cluster://...
//   cluster.move_slot(slot, to);          // keys and all
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redis/testing/redis_process.h"

namespace weir::redis::testing {

class RedisCluster {
 public:
  explicit RedisCluster(std::size_t primaries);
  ~RedisCluster();

  std::string url() const;
  std::size_t size() const { return nodes_.size(); }
  RedisProcess& node(std::size_t i) { return *nodes_[i]; }
  RedisClient client(std::size_t i) const { return RedisClient(nodes_[i]->port()); }
  // Which node was given the slot at first.
  std::size_t keeper(std::uint16_t slot) const;
  void flush();
  std::size_t keys();

  // The steps of a move: keys are asked for on both sides, moved, and then all know.
  void begin_move(std::uint16_t slot, std::size_t from, std::size_t to);
  void move_keys(std::uint16_t slot, std::size_t from, std::size_t to);
  void end_move(std::uint16_t slot, std::size_t to);

 private:
  std::string id(std::size_t i) const;
  void join();
  std::uint64_t number_of(std::size_t i, std::string_view word) const;

  std::string directory_;
  std::vector<std::unique_ptr<RedisProcess>> nodes_;
};

}  // namespace weir::redis::testing
