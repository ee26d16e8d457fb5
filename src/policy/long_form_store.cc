// `store` of the long form. Secrets are shown as the references they were typed as.
#include <string>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/words.h"
#include "policy/yaml_text.h"

namespace weir::policy {

namespace {

void add_text(FlowMap& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.add(key, quote(text));
}

void add_redis(FlowMap& map, const StoreConfig& store, const Typed::Store& typed) {
  add_text(map, "url", typed.url);
  add_text(map, "username", typed.username);
  add_text(map, "password", typed.password);
  FlowMap tls;
  add_text(tls, "ca", typed.tls_ca);
  add_text(tls, "cert", typed.tls_cert);
  add_text(tls, "key", typed.tls_key);
  if (tls.text() != "{}") map.add("tls", tls.text());
  map.add("timeout", print_duration(store.timeout));
  map.add("connections", std::to_string(store.connections));
  add_text(map, "prefix", typed.prefix);
  add_text(map, "secret", typed.secret);
  FlowMap breaker;
  breaker.add("errors", std::to_string(store.breaker.errors));
  breaker.add("window", print_duration(store.breaker.window));
  breaker.add("retry", print_duration(store.breaker.retry));
  map.add("breaker", breaker.text());
  map.add("local", "{share: per_instance}");
}

}  // namespace

std::string print_store(const StoreConfig& store, const Typed::Store& typed) {
  FlowMap map;
  map.add("type", std::string(name(store.type)));
  if (store.type == StoreType::redis) {
    add_redis(map, store, typed);
  } else {
    map.add("max_keys", print_count(store.max_keys));
    map.add("on_full", std::string(name(store.on_full)));
  }
  return map.text();
}

}  // namespace weir::policy
