#include "serve/store_watch.h"

#include "host/log.h"
#include "redis/redis_store.h"
#include "remote/open_store.h"

namespace weir::serve {

void StoreWatch::look() {
  const auto* redis = remote::redis_of(store_);
  if (redis == nullptr) return;
  const redis::Health health = redis->health();
  const bool there = health.servers > 0 && health.ready == health.servers &&
                     health.breaker == redis::Breaker::State::closed;
  if (there == there_) return;
  there_ = there;
  if (there) {
    host::log(host::LogLevel::info, "the store is back", {});
  } else {
    host::log(host::LogLevel::error, "the store is away: on_store_failure decides",
              {{"error", health.last_error}});
  }
}

}  // namespace weir::serve
