#include "redis/testing/redis_cluster.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace weir::redis::testing {
namespace {

constexpr std::size_t kSlots = 16'384;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "redis cluster: %s\n", what);
  std::abort();
}

}  // namespace

RedisCluster::RedisCluster(std::size_t primaries) {
  char name[] = "/tmp/weir-cluster-XXXXXX";
  if (::mkdtemp(name) == nullptr) give_up("no directory");
  directory_ = name;
  for (std::size_t i = 0; i < primaries; ++i) {
    nodes_.push_back(std::make_unique<RedisProcess>(std::vector<std::string>{
        "--cluster-enabled", "yes", "--dir", directory_, "--cluster-config-file",
        "node" + std::to_string(i), "--cluster-node-timeout", "3000", "--cluster-port",
        std::to_string(RedisProcess::free_port())}));
  }
  join();
}

RedisCluster::~RedisCluster() {
  nodes_.clear();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void RedisCluster::join() {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t first = kSlots * i / size();
    const std::size_t last = kSlots * (i + 1) / size() - 1;
    RedisClient c = client(i);
    c.text({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    c.text({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)});
    if (i == 0) continue;
    const std::string bus = client(0).command({"CONFIG", "GET", "cluster-port"})->element[1]->str;
    c.text({"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[0]->port()), bus});
  }
  for (int tries = 0; tries < 2'000; ++tries) {
    std::size_t well = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::string info = client(i).text({"CLUSTER", "INFO"});
      if (info.find("cluster_state:ok") != std::string::npos &&
          info.find("cluster_known_nodes:" + std::to_string(size())) != std::string::npos &&
          info.find("cluster_slots_ok:16384") != std::string::npos) {
        ++well;
      }
    }
    if (well == size()) return;
    ::poll(nullptr, 0, 10);
  }
  give_up("the nodes did not join");
}

std::string RedisCluster::url() const {
  std::string url = "redis+cluster://";
  for (const auto& node : nodes_) {
    url += (url.back() == '/' ? "" : ",") + ("127.0.0.1:" + std::to_string(node->port()));
  }
  return url;
}

std::size_t RedisCluster::keeper(std::uint16_t slot) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (slot < kSlots * (i + 1) / size()) return i;
  }
  return size() - 1;
}

void RedisCluster::flush() {
  for (std::size_t i = 0; i < size(); ++i) client(i).text({"FLUSHALL"});
}

std::size_t RedisCluster::keys() {
  std::size_t n = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    n += static_cast<std::size_t>(client(i).integer({"DBSIZE"}));
  }
  return n;
}

std::string RedisCluster::id(std::size_t i) const { return client(i).text({"CLUSTER", "MYID"}); }

void RedisCluster::begin_move(std::uint16_t slot, std::size_t from, std::size_t to) {
  const std::string number = std::to_string(slot);
  client(to).text({"CLUSTER", "SETSLOT", number, "IMPORTING", id(from)});
  client(from).text({"CLUSTER", "SETSLOT", number, "MIGRATING", id(to)});
}

void RedisCluster::move_keys(std::uint16_t slot, std::size_t from, std::size_t to) {
  RedisClient source = client(from);
  for (;;) {
    const Reply keys = source.command({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "100"});
    if (keys->elements == 0) return;
    for (std::size_t i = 0; i < keys->elements; ++i) {
      const std::string said = source.text({"MIGRATE",
                                            "127.0.0.1",
                                            std::to_string(nodes_[to]->port()),
                                            {keys->element[i]->str, keys->element[i]->len},
                                            "0",
                                            "5000"});
      if (said != "OK" && said != "NOKEY") give_up(said.c_str());
    }
  }
}

void RedisCluster::end_move(std::uint16_t slot, std::size_t to) {
  const std::string owner = id(to);
  client(to).text({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", owner});
  for (std::size_t i = 0; i < size(); ++i) {
    client(i).text({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", owner});
  }
  // A next move needs a later epoch than this one's, so all must have heard of it.
  const std::uint64_t epoch = number_of(to, "cluster_my_epoch:");
  for (int tries = 0; tries < 2'000; ++tries) {
    std::size_t well = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (number_of(i, "cluster_current_epoch:") >= epoch) ++well;
    }
    if (well == size()) return;
    ::poll(nullptr, 0, 5);
  }
  give_up("a move was not heard of");
}

std::uint64_t RedisCluster::number_of(std::size_t i, std::string_view word) const {
  const std::string info = client(i).text({"CLUSTER", "INFO"});
  const std::size_t at = info.find(word);
  if (at == std::string::npos) return 0;
  return std::strtoull(info.c_str() + at + word.size(), nullptr, 10);
}

}  // namespace weir::redis::testing
