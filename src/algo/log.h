// sliding_log: every admitted cost with its instant, exact to the nanosecond, O(limit) memory.
//
// The window is half-open: a charge at t counts in (now - window, now], so it is free again at
// exactly t + window. Charges at one instant share an entry. Entries of the future (the clock was
// stepped back) become one of now: none is forgotten, and none stays for longer than a window. A
// decision takes O(log entries) steps. Growing allocates (amortised; at most `count` entries of 16
// bytes, rounded up to a power of two); nothing else does. Not thread-safe: the owner locks.
//
//   Log log;
//   if (log.charge(numbers, 1, now).admit) ...
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
  // The verdict without a charge; entries are settled: those that have left the window are
  // forgotten.
  Outcome peek(const Numbers& numbers, std::uint64_t cost, Now now);
  // As peek, and charged when admitted.
  Outcome charge(const Numbers& numbers, std::uint64_t cost, Now now);
  // Takes `cost` back from the newest entries.
  void refund(const Numbers& numbers, std::uint64_t cost, Now now);
  // The steady instant from which the log is empty.
  Instant full_at(const Numbers& numbers) const;

  std::size_t entries() const { return size_; }
  std::uint64_t used() const { return size_ == 0 ? 0 : entry(size_ - 1).total - gone_; }

 private:
  // `total` counts all that was ever charged up to and with this entry (less refunds), so that a
  // sum over entries is a difference and the entry at which a cost fits is found by bisection.
  struct Entry {
    Instant at;
    std::uint64_t total = 0;
  };
  Entry& entry(std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  const Entry& entry(std::size_t i) const { return ring_[(first_ + i) & (ring_.size() - 1)]; }
  void settle(Instant now, std::uint64_t window_ns);
  // How many of the oldest entries are of before, or of, `at`.
  std::size_t until(Instant at) const;
  void append(Instant at, std::uint64_t cost);
  void grow();

  friend class LogLevel;

  std::vector<Entry> ring_;  // a power of two, or empty
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::uint64_t gone_ = 0;  // total of the newest entry that was forgotten
};

}  // namespace weir::algo
