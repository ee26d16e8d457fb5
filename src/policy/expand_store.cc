// `store: memory` and `store: "redis://..."` as mappings, and the keys that a type of store has:
// asked here, before defaults make all keys look alike.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "policy/expand_parts.h"
#include "policy/words.h"

namespace weir::policy {

namespace {

constexpr std::array<std::string_view, 2> kMemoryKeys{"max_keys", "on_full"};
constexpr std::array<std::string_view, 10> kRedisKeys{
    "url",         "username", "password", "tls",     "timeout",
    "connections", "prefix",   "secret",   "breaker", "local"};

template <std::size_t N>
bool is_one_of(std::string_view key, const std::array<std::string_view, N>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void refuse_keys_of_the_other_type(const Node& store, Report& report) {
  const Node* type = store.find("type");
  if (type != nullptr && type->bad) return;
  const bool redis = type != nullptr && type->text == name(StoreType::redis);
  for (const Entry& entry : store.entries) {
    const std::string key = "`" + entry.key + "`";
    if (redis && is_one_of(entry.key, kMemoryKeys)) {
      report.error(entry.at, key + " is a key of the memory store, and `type` is `redis`",
                   "remove it; Redis bounds its own memory (`maxmemory`)");
    } else if (!redis && is_one_of(entry.key, kRedisKeys)) {
      report.error(entry.at, key + " is a key of the redis store, and `type` is `memory`",
                   "write `type: redis`, or remove it");
    }
  }
  if (redis && store.find("url") == nullptr) {
    report.error(store.at, "`url` is missing", "write `url: \"redis://host:6379/0\"`");
  }
}

}  // namespace

void expand_store(Node& root, Report& report) {
  Node* store = root.find("store");
  if (store == nullptr || store->bad) return;
  if (store->is_scalar()) {
    const Node given = *store;
    *store = Node::mapping(given.at);
    const bool memory = given.text == name(StoreType::memory);
    const StoreType type = memory ? StoreType::memory : StoreType::redis;
    store->add("type", Node::scalar(std::string(name(type)), given.at));
    if (!memory) store->add("url", Node::scalar(given.text, given.at, true));
  }
  if (store->is_mapping()) refuse_keys_of_the_other_type(*store, report);
}

}  // namespace weir::policy
