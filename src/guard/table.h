// What is known here of some counters: what the store last said of them, and what was taken ahead.
//
// A fixed number of places, reserved once. A counter under other numbers is another entry: nothing
// that was said outlives a change of the limit. The least recently touched gives way to a new one,
// but never one with tokens in hand or a question under way; where all places of a key are such,
// there is none for it, and the store is asked directly.
//
// Thread-safety: an entry is read and written under its shard's lock only (Locks takes those of all
// keys of a request, in one order). Entries never move, and one that is pinned stays what it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "algo/numbers.h"
#include "base/digest.h"
#include "guard/demand.h"
#include "guard/lease.h"
#include "guard/told.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::guard {

struct Call;

struct Entry {
  base::Digest key;
  store::Slot slot = 0;
  std::uint32_t tag = 0;
  algo::Numbers numbers;  // burst 0: the place is empty
  Instant touched;
  Told told;

  // With `prefetch` only.
  Demand demand;
  Lease lease;
  Call* first_waiting = nullptr;  // for the answer to the lease's question, oldest first
  Call* last_waiting = nullptr;
  bool live = false;  // in Shard::live

  bool empty() const { return numbers.burst == 0; }
  bool pinned() const { return live || !lease.idle() || first_waiting != nullptr; }
  bool is(const store::Charge& charge) const {
    return key == charge.key && numbers == *charge.numbers;
  }
};

class Table {
 public:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kWays = 4;

  struct Shard {
    std::mutex mutex;
    std::vector<Entry> places;  // sets of kWays
    std::vector<Entry*> live;   // with tokens that end some time
    Instant believes_after;     // what was asked until then is not believed
  };

  // The locks of all keys of a request.
  class Locks {
   public:
    Locks(Table& table, std::span<const store::Charge> charges);
    ~Locks();
    Locks(const Locks&) = delete;
    Locks& operator=(const Locks&) = delete;

   private:
    Table& table_;
    std::uint64_t held_ = 0;
  };

  explicit Table(std::size_t counters);

  Shard& shard_of(const base::Digest& key) { return shards_[key.hi % kShards]; }
  std::array<Shard, kShards>& shards() { return shards_; }

  // Under the lock.
  Entry* find(const store::Charge& charge);
  Entry* find_or_make(const store::Charge& charge, Instant now);
  // The places where entries of a key are, under whatever numbers.
  std::span<Entry> places_of(const base::Digest& key);

 private:
  std::array<Shard, kShards> shards_;
  std::size_t sets_;  // a shard
};

}  // namespace weir::guard
