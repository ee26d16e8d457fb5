#include "remote/open_store.h"

#include <utility>

#include "decide/engine.h"
#include "guard/guard_store.h"
#include "redis/redis_store.h"

namespace weir::remote {

redis::Options redis_options(const policy::StoreConfig& config) {
  redis::Options options;
  options.url = config.url;
  options.username = config.username;
  options.password = config.password;
  options.tls_ca = config.tls_ca;
  options.tls_cert = config.tls_cert;
  options.tls_key = config.tls_key;
  options.timeout = config.timeout;
  options.connections = config.connections;
  options.prefix = config.prefix;
  options.secret = config.secret;
  options.breaker.errors = config.breaker.errors;
  options.breaker.window = config.breaker.window;
  options.breaker.retry = config.breaker.retry;
  return options;
}

Result<std::unique_ptr<store::Store>> open_store(const policy::StoreConfig& config) {
  if (config.type == policy::StoreType::memory) return decide::Engine::open_memory(config);
  auto opened = redis::RedisStore::open(redis_options(config));
  if (!opened) return opened.error();
  guard::GuardOptions guard;
  guard.timeout = config.timeout;
  // In a cluster a request is charged piece by piece, and what a later piece denies is given back:
  // a denial may be of just such a moment.
  if (config.url.starts_with("redis+cluster")) guard.believed = milliseconds(20);
  return std::unique_ptr<store::Store>(
      std::make_unique<guard::GuardStore>(std::move(*opened), guard));
}

const redis::RedisStore* redis_of(const store::Store& store) {
  const auto* guard = dynamic_cast<const guard::GuardStore*>(&store);
  return dynamic_cast<const redis::RedisStore*>(guard != nullptr ? &guard->beneath() : &store);
}

}  // namespace weir::remote
