// What Limiter, LimitSet and the C interface have in common: a memory store and a clock, and the
// ways from public types to the store's and back. Thread-safe; allocates only in `open`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "algo/numbers.h"
#include "base/digest.h"
#include "store/memory/memory_store.h"
#include "store/store.h"
#include "weir/clock.h"
#include "weir/limiter.h"
#include "weir/limits.h"
#include "weir/result.h"

namespace weir::store::facade {

Result<algo::Numbers> numbers_of(const Limit& limit);
// Within `limit`, and as long as it.
const algo::Numbers& numbers_of(const PreparedLimit& limit);
LimitDecision decision_of(const Outcome& outcome);
// From a public duration; what is negative is 0.
Duration duration_of(std::chrono::nanoseconds length);

// Stands for (limit, what shapes its state, key): typed and injective, so "42" is not 42, and a
// counter is never read as another algorithm's or window's.
base::Digest digest_of(const base::HashSecret& secret, std::uint16_t limit,
                       const algo::Numbers& numbers, const Key& key);

class Core {
 public:
  static Result<std::unique_ptr<Core>> open(const LimiterOptions& options);

  Now now() { return clock_->now(); }
  Sleeper& sleeper() { return *sleeper_; }
  MemoryStore& store() { return *store_; }
  LimiterStats stats() const;

  // A charge of the store's: `numbers` outlives it.
  Charge charge_of(std::uint16_t limit, const Key& key, std::uint64_t cost,
                   const algo::Numbers& numbers) const;

 private:
  Core() = default;

  std::unique_ptr<MemoryStore> store_;
  SystemClock system_clock_;
  std::unique_ptr<Sleeper> system_sleeper_;
  Clock* clock_ = nullptr;
  Sleeper* sleeper_ = nullptr;
};

}  // namespace weir::store::facade
