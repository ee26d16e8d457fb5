// What the requests to one memory store share: shards, overflow counters, the latest instant.
//
// Locks are taken in one order (shards ascending, then the overflow counters), so requests cannot
// deadlock, and the instant is read under them, so no counter ever sees time go back. Nothing is
// allocated.
//
//   const ShardLocks locks(table, charges);
//   now = table.clamp(now);
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "store/memory/overflow.h"
#include "store/memory/shard.h"
#include "store/store.h"

namespace weir::store::memory {

// When no place is left for a new key: charge the limit's overflow counter, or deny.
enum class OnFull : std::uint8_t { shared, deny };

// What a denial for want of a place gives as its wait: room comes when some other key is full
// again, which cannot be foreseen.
inline constexpr Duration kFullRetryHint = seconds(1);

// What the transactions of one store share.
struct Table {
  std::span<Shard> shards;  // a power of two, at most 64
  Overflow* overflow = nullptr;
  OnFull on_full = OnFull::shared;
  alignas(64) std::atomic<std::uint64_t> latest_ns{0};  // the largest instant decided at
  alignas(64) std::atomic<std::uint64_t> full{0};

  std::size_t shard_of(const base::Digest& key) const { return key.hi & (shards.size() - 1); }
  // `now`, or the largest instant so far where that is later; remembers it.
  Now clamp(Now now) {
    // Relaxed: callers hold the locks of the counters they read, and those order the counters.
    std::uint64_t latest = latest_ns.load(std::memory_order_relaxed);
    while (now.steady.ns > latest) {
      if (latest_ns.compare_exchange_weak(latest, now.steady.ns, std::memory_order_relaxed)) {
        return now;
      }
    }
    now.steady.ns = latest;
    return now;
  }
};

// The distinct shards of some charges, locked in ascending order.
class ShardLocks {
 public:
  ShardLocks(Table& table, std::span<const Charge> charges) : table_(table) {
    for (const Charge& c : charges) {
      const std::size_t shard = table.shard_of(c.key);
      held_ |= std::uint64_t{1} << shard;
      table.shards[shard].prefetch(c.key);
    }
    for (std::uint64_t rest = held_; rest != 0; rest &= rest - 1) first_of(rest).mutex.lock();
  }
  ~ShardLocks() { unlock(); }
  ShardLocks(const ShardLocks&) = delete;
  void unlock() {
    for (; held_ != 0; held_ &= held_ - 1) first_of(held_).mutex.unlock();
  }

 private:
  Shard& first_of(std::uint64_t shards) const {
    return table_.shards[static_cast<std::size_t>(std::countr_zero(shards))];
  }

  Table& table_;
  std::uint64_t held_ = 0;
};

}  // namespace weir::store::memory
