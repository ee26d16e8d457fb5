// For tests: a RedisStore that answers before `charge` returns, in the caller's time.
//
// The conformance suite moves a clock by hand. The script takes that time for the server's own
// (`given_time`), never an earlier one than before, as a store with a clock of its own would; and
// instants are given back on the caller's clock. `stats` counts the keys in Redis.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "redis/redis_store.h"
#include "redis/testing/redis_process.h"

namespace weir::redis::testing {

class BlockingStore final : public store::Store {
 public:
  BlockingStore(std::unique_ptr<RedisStore> store, int port)
      : store_(std::move(store)), port_(port) {}

  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override;
  void refund(std::span<const store::Charge> charges, Now now) override {
    {
      const std::lock_guard lock(order_);
      store_->refund(charges, latest(now));
    }
    // It is not awaited: an answer on the same connection comes after it.
    (void)inspect(charges.front(), now);
  }
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    return store_->inspect(charge, latest(now));
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return store_->reset(slot, key);
  }
  store::Stats stats() const override {
    RedisClient client(port_);
    store::Stats stats;
    stats.keys = static_cast<std::uint64_t>(client.integer({"DBSIZE"}));
    return stats;
  }
  const base::HashSecret& secret() const override { return store_->secret(); }

 private:
  Now latest(Now now) {
    const std::lock_guard lock(mutex_);
    if (latest_.wall() < now.wall()) latest_ = now;
    return latest_;
  }

  std::unique_ptr<RedisStore> store_;
  int port_;
  std::mutex order_;
  std::mutex mutex_;
  Now latest_;
};

}  // namespace weir::redis::testing
