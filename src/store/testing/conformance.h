// One suite that every Store must pass: the law of docs/semantics.md as far as one store can show
// it.
//
// A store's test lists the conformance_*.cc files among its sources and names its factories:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(StoreFactory{...}),
//   name_of);
//
// Time is given to the store in whole milliseconds, so that a store with a coarser clock than
// nanoseconds runs the same tests; `tick` is the store's own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "store/store.h"
#include "store/testing/lab.h"

namespace weir::store::testing {

struct StoreSpec {
  std::uint64_t max_keys = 20'000;
  bool deny_when_full = false;
};

struct StoreFactory {
  std::string name;
  std::function<std::unique_ptr<Store>(const StoreSpec&)> make;
  Duration tick = nanoseconds(1);
  bool bounded = true;  // holds max_keys, with one place for each of up to 64 keys exactly
};

inline std::string name_of(const ::testing::TestParamInfo<StoreFactory>& info) {
  return info.param.name;
}

class StoreConformance : public ::testing::TestWithParam<StoreFactory> {
 protected:
  Lab lab(const StoreSpec& spec = {}) { return Lab(GetParam().make(spec)); }
  Duration tick() const { return GetParam().tick; }
};

// Keeps gtest's printer from dumping the factory's bytes.
inline void PrintTo(const StoreFactory& factory, std::ostream* out) { *out << factory.name; }

}  // namespace weir::store::testing
