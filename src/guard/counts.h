// What a guard has saved and done, for metrics. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::guard {

struct Counts {
  std::uint64_t denied_again =
      0;                         // denials that the store was not asked for: it had said until when
  std::uint64_t prefetched = 0;  // admissions from tokens in hand, the store not asked
  std::uint64_t rested = 0;      // denials while a lease rested
  std::uint64_t asked = 0;       // questions for tokens ahead
  std::uint64_t taken = 0;       // tokens got so
  std::uint64_t returned = 0;    // tokens given back unspent
  std::uint64_t returns = 0;     // commands that gave back
  std::uint64_t leases = 0;      // counters with tokens in hand now
};

class Counters {
 public:
  using Count = std::atomic<std::uint64_t>;

  static void add(Count& count, std::uint64_t n = 1) {
    count.fetch_add(n, std::memory_order_relaxed);
  }
  Counts read() const {
    const auto get = [](const Count& c) { return c.load(std::memory_order_relaxed); };
    return {get(denied_again), get(prefetched), get(rested),  get(asked),
            get(taken),        get(returned),   get(returns), get(leases)};
  }

  Count denied_again{0}, prefetched{0}, rested{0}, asked{0}, taken{0}, returned{0}, returns{0},
      leases{0};
};

}  // namespace weir::guard
