#include "redis/guide.h"

#include <algorithm>
#include <optional>

namespace weir::redis {

using wire::RespItems;
using wire::RespType;
using wire::RespValue;

namespace {

void add(std::vector<Address>& servers, const Address& server) {
  if (std::find(servers.begin(), servers.end(), server) == servers.end()) servers.push_back(server);
}

std::string_view said(const RespValue& reply, std::string_view otherwise) {
  return reply.type == RespType::error ? reply.text : otherwise;
}

}  // namespace

void ClusterGuide::question(std::string& out) const {
  wire::append_command(out, {"CLUSTER", "SLOTS"});
}

bool ClusterGuide::answer(const RespValue& reply) {
  const Address asked = server();
  auto map = read_cluster_slots(reply, asked);
  if (!map) return useless(said(reply, "what it answers to CLUSTER SLOTS is no map"));
  if (map->empty()) return useless("it knows no node that serves a slot");
  std::vector<Address> servers = map->keepers();
  for (const Address& replica : map->replicas()) add(servers, replica);
  for (const Address& seed : seeds_) add(servers, seed);
  add(servers, asked);
  servers_ = std::move(servers);
  at_ = static_cast<std::size_t>(std::find(servers_.begin(), servers_.end(), asked) -
                                 servers_.begin());
  found_ = std::move(*map);
  return true;
}

void SentinelGuide::question(std::string& out) const {
  wire::append_command(out, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name_});
}

bool SentinelGuide::answer(const RespValue& reply) {
  if (reply.type == RespType::null) return useless("it watches no primary of the URL's name");
  if (reply.type != RespType::array || reply.items != 2) {
    return useless(said(reply, "it does not answer as a Sentinel"));
  }
  auto item = RespItems(reply).begin();
  const std::string host(item->text);
  ++item;
  auto primary = read_address(host + ":" + std::string(item->text));
  if (!primary || host.empty()) return useless("the primary that it names has no address");
  primary->host = host;
  found_ = Directory::of(*primary);
  return true;
}

}  // namespace weir::redis
