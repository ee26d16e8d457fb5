// `identity` of the long form.
#include <string>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/words.h"
#include "policy/yaml_text.h"

namespace weir::policy {

namespace {

std::string source(const IdentityKey& key) {
  return quote(std::string(name(key.source)) + ":" + key.argument);
}

std::string print_addresses(const Identity& id) {
  FlowList networks;
  for (const Cidr& network : id.shared_networks) networks.add(quote(network.text()));
  return "  ip_prefix: {v4: " + std::to_string(id.prefix_v4) +
         ", v6: " + std::to_string(id.prefix_v6) + "}\n" +
         "  shared_ip: {networks: " + networks.text() +
         ", multiplier: " + print_count(id.shared_multiplier) + "}\n";
}

std::string print_api_key(const Identity& id) {
  FlowMap map;
  map.add("from", source(id.keys[kApiKey]));
  if (id.api_key_trusted) map.add("trusted", "gateway");
  map.add("show", std::string(name(id.keys[kApiKey].show)));
  return "  api_key: " + map.text() + "\n";
}

std::string print_own_keys(const Identity& id) {
  constexpr std::size_t kFirst = kUserKey + 1u;
  if (id.keys.size() <= kFirst) return "  keys: {}\n";
  std::string out = "  keys:\n";
  for (std::size_t i = kFirst; i < id.keys.size(); ++i) {
    const IdentityKey& key = id.keys[i];
    FlowMap map;
    map.add("from", source(key));
    map.add("authenticated", key.authenticated ? "true" : "false");
    if (key.lower) map.add("normalize", "lower");
    map.add("show", std::string(name(key.show)));
    out += "    " + quote(key.name) + ": " + map.text() + "\n";
  }
  return out;
}

}  // namespace

std::string print_identity(const Policy& policy) {
  const Identity& id = policy.identity;
  FlowList from;
  if (id.tier_from_accounts) from.add("accounts");
  if (!id.tier_claim.empty()) from.add(quote("jwt:" + id.tier_claim));
  return "identity:\n" + print_addresses(id) +
         (id.jwt_from_gateway ? "  jwt: {verify: gateway}\n" : "") + print_api_key(id) +
         print_own_keys(id) + "  tier: {from: " + from.text() +
         ", default: " + scalar(policy.tiers[id.default_tier].name) + "}\n";
}

}  // namespace weir::policy
