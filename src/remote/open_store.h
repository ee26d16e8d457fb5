// The store that a policy asks for: decide knows the one in memory, this one all there are.
//
//   auto opened = decide::Engine::open("policy.yaml", open_store);
//
// Never waits for another machine: a store that is not there yet fails its requests until it is.
#pragma once

#include <memory>

#include "policy/policy.h"
#include "redis/options.h"
#include "redis/redis_store.h"
#include "store/store.h"
#include "weir/result.h"

namespace weir::remote {

// With a guard around one on another machine.
Result<std::unique_ptr<store::Store>> open_store(const policy::StoreConfig& config);

// The Redis behind a store that was opened so; null: there is none.
const redis::RedisStore* redis_of(const store::Store& store);

// What a `store: redis` says.
redis::Options redis_options(const policy::StoreConfig& config);

}  // namespace weir::remote
