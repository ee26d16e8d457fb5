// The suite of every store, over a guard around the memory store.
#include <gtest/gtest.h>

#include "guard/testing/timed_guard.h"
#include "store/memory/memory_store.h"
#include "store/testing/conformance.h"

namespace weir::store::testing {
namespace {

std::unique_ptr<Store> make(const StoreSpec& spec) {
  auto store = MemoryStore::open({.max_keys = spec.max_keys, .secret = base::HashSecret{1, 2}});
  if (!store) {
    ADD_FAILURE() << store.error().text();
    return nullptr;
  }
  return std::make_unique<guard::testing::TimedGuard>(std::move(*store), guard::GuardOptions{});
}

INSTANTIATE_TEST_SUITE_P(Guard, StoreConformance,
                         ::testing::Values(StoreFactory{"guard", make, microseconds(1), false}),
                         name_of);

}  // namespace
}  // namespace weir::store::testing
