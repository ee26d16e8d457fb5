// The suite of every store, over a real Redis.
#include <gtest/gtest.h>

#include "redis/redis_store.h"
#include "redis/testing/blocking_store.h"
#include "redis/testing/redis_process.h"
#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

redis::testing::RedisProcess& server() {
  static redis::testing::RedisProcess process;
  return process;
}

// One connection: with several, requests of one thread could overtake each other.
std::unique_ptr<Store> make(const StoreSpec&) {
  redis::testing::RedisClient(server().port()).text({"FLUSHALL"});
  redis::Options options;
  options.url = "redis://127.0.0.1:" + std::to_string(server().port());
  options.timeout = minutes(1);
  options.connections = 1;
  options.given_time = true;
  options.secret = {1, 2};
  auto store = redis::RedisStore::open(options);
  if (!store) ADD_FAILURE() << store.error().text();
  return std::make_unique<redis::testing::BlockingStore>(std::move(*store), server().port());
}

INSTANTIATE_TEST_SUITE_P(Redis, StoreConformance,
                         ::testing::Values(StoreFactory{"redis", make, microseconds(1), false}),
                         name_of);

}  // namespace
}  // namespace weir::store::testing
