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
  if (there) {
    if (told_ && there_) return;
    host::log(host::LogLevel::info, told_ ? "the store is back" : "the store is there",
              {{"server", redis->server()}, {"fingerprint", redis->fingerprint()}});
  } else {
    const bool same = told_ && !there_ && failure_ == health.last_failure;
    if (same || health.last_error.empty()) return;  // it may still be on its way
    host::log(host::LogLevel::error,
              told_ && !there_ ? "the store is still away, for another reason"
                               : "the store is away: on_store_failure decides",
              {{"server", redis->server()}, {"error", health.last_error}});
    failure_ = health.last_failure;
  }
  told_ = true;
  there_ = there;
}

}  // namespace weir::serve
