// Names the limits of a store: (name, algorithm, window, alignment, unit) -> Slot.
//
// A counter is filed under a slot and a key. The same identity keeps its slot for the life of the
// registry, so a reload with other numbers (rate, burst, limit) keeps every count; another
// algorithm, window, alignment or unit is another slot, that is, it starts fresh. What does not
// shape the state is no part of the identity: a bucket has no window, a log no alignment.
//
//   weir::store::Registry registry;
//   weir::Result<Slot> slot = registry.slot("plan-minute", numbers, "requests");
//
// Slots are never given to another identity: a state of the old one could still be in the store.
// 65,535 identities fit; slot 0 is never given. Thread-safe. One lookup under a mutex, at load
// time and not in a decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "algo/numbers.h"
#include "store/store.h"
#include "weir/result.h"

namespace weir::store {

// What the keys of a limit's counters are hashed with: the same identity has the same id in every
// process, so that instances that share a store share its counters. Differs for different
// identities but with probability n^2 / 2^65.
std::uint64_t limit_id(std::string_view name, const algo::Numbers& numbers, std::string_view unit);

class Registry {
 public:
  static constexpr std::size_t kMaxSlots = 65'535;

  // The slot of this identity, a new one if it was never seen. Fails with out_of_range when all
  // are taken; what is registered already keeps working.
  Result<Slot> slot(std::string_view name, const algo::Numbers& numbers, std::string_view unit);
  std::size_t size() const;

 private:
  using Identity = std::tuple<std::string, Algorithm, std::uint64_t, Align, std::string>;
  static Identity identity(std::string_view name, const algo::Numbers& numbers,
                           std::string_view unit);

  mutable std::mutex mutex_;
  std::map<Identity, Slot> slots_;
};

}  // namespace weir::store
