// sliding_log: every admitted cost with its instant, exact to the nanosecond, O(limit) memory.
//
// The window is half-open: a charge at t counts in (now - window, now], so it is free again at
// exactly t + window. Charges at one instant share an entry. Growing allocates (amortised, never
// above `count` entries of 16 bytes); everything else does not. Not thread-safe: the owner locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algo/numbers.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::algo {

class Log {
 public:
  // The verdict without a charge; forgets entries that have left the window.
  Outcome peek(const Numbers& numbers, std::uint64_t cost, Now now);
  // As peek, and charged when admitted.
  Outcome charge(const Numbers& numbers, std::uint64_t cost, Now now);
  // Takes `cost` back from the newest entries.
  void refund(const Numbers& numbers, std::uint64_t cost, Now now);
  // The steady instant from which the log is empty.
  Instant full_at(const Numbers& numbers) const;

  std::size_t entries() const { return size_; }
  std::uint64_t used() const { return used_; }

 private:
  struct Entry {
    Instant at;
    std::uint64_t cost;
  };
  Entry& entry(std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  const Entry& entry(std::size_t i) const { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  void forget_before(Instant now, Duration window);
  void append(Instant at, std::uint64_t cost);

  std::vector<Entry> ring_;  // a power of two, or empty
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace weir::algo
