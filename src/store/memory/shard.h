// One lock's share of the memory table: a chained hash index over a fixed pool of entries.
//
// The index has a head or two for each key it has held at once, up to its full size: it grows with
// the keys (linear hashing: a new key splits two chains), so that few keys need few cache lines.
// An entry is one cache line. Entries are free (in a list), reserved (taken for a request that may
// yet be denied: invisible) or linked (found by their key). A linked entry whose `expires_ns` has
// come equals a full counter, for any limit, so it is treated as absent and may be reused: nothing
// else is ever evicted. Dead entries are found by a clock hand: every insert examines kSweep of
// them, an insert that finds no free entry up to kProbe, so that no call pays for a crowd.
//
// Not thread-safe: the caller holds `mutex`. Nothing is allocated here; a sliding_log's ring is
// allocated by its owner and freed here with its entry. Cost: O(chain), 1 to 2 lines on average.
#pragma once

#include <atomic>
#include <cstdint>

#include "algo/log.h"
#include "algo/state.h"
#include "base/digest.h"
#include "store/memory/lock.h"
#include "store/store.h"

namespace weir::store::memory {

// What one limit knows of one key.
struct Counter {
  algo::State state;
  algo::Log* log = nullptr;      // sliding_log only; owned, null until something is charged
  std::uint64_t expires_ns = 0;  // the steady instant from which it equals full

  bool live(Instant now) const { return expires_ns > now.ns; }
  // Back to full; frees the log.
  void clear();
};

struct alignas(64) Entry {
  base::Digest key;
  Counter counter;
  std::uint32_t next = 0;  // in its chain or in the free list; 1-based, 0 ends it
  Slot slot = 0;
  Algorithm algorithm{};  // part of the identity: a state is never read as another algorithm's
  bool linked = false;
};
static_assert(sizeof(Entry) == 64, "one cache line");

class alignas(64) Shard {
 public:
  static constexpr std::uint32_t kSweep = 4;
  static constexpr std::uint32_t kSplit = 2;
  static constexpr std::uint32_t kProbe = 128;

  Shard() = default;
  Shard(const Shard&) = delete;
  ~Shard();

  // Its share of two arrays, both zeroed, that outlive it: every 2^stride_bits-th element, from
  // `entries` and `heads` on. `head_count` is a power of two: the full size of the index.
  void attach(Entry* entries, std::uint32_t capacity, std::uint32_t* heads,
              std::uint32_t head_count, unsigned stride_bits);

  // Brings the lines that `find` will read nearer. Needs no lock: what it reads may be old.
  void prefetch(const base::Digest& key) const {
    const std::uint32_t first =
        std::atomic_ref(head_at(place(key))).load(std::memory_order_relaxed);
    if (first != 0) __builtin_prefetch(at(first), 1);
  }

  // The live entry of this counter, or null; one that is dead is freed on the way.
  Entry* find(Slot slot, Algorithm algorithm, const base::Digest& key, Instant now) {
    for (std::uint32_t i = head(key); i != 0; i = at(i)->next) {
      Entry* const entry = at(i);
      if (entry->key != key || entry->slot != slot || entry->algorithm != algorithm) continue;
      if (entry->counter.live(now)) return entry;
      reclaim(entry);
      return nullptr;
    }
    return nullptr;
  }
  // A reserved entry with a full counter; null when the probe range holds live entries only.
  Entry* take(Instant now);
  // A reserved entry is free again.
  void give_back(Entry* entry);
  // A reserved entry becomes findable. Its counter must outlive `now`.
  void link(Entry* entry, Slot slot, Algorithm algorithm, const base::Digest& key, Instant now);
  // A linked entry is free again.
  void forget(Entry* entry);
  // Forgets whatever is filed under this slot and key. True if any of it was live.
  bool reset(Slot slot, const base::Digest& key, Instant now);

  std::uint64_t keys() const { return keys_; }
  std::uint64_t reclaimed() const { return reclaimed_; }

  Lock mutex;

 private:
  Entry* at(std::uint32_t index) const {
    return entries_ + (std::size_t{index - 1} << stride_bits_);
  }
  std::uint32_t index_of(const Entry* entry) const {
    return static_cast<std::uint32_t>((entry - entries_) >> stride_bits_) + 1;
  }
  std::uint32_t& head_at(std::uint64_t place) const { return heads_[place << stride_bits_]; }
  // The head of a key's chain. One that is not in use yet is still part of the chain it will be
  // split off.
  std::uint64_t place(const base::Digest& key) const {
    const Index index = index_.load(std::memory_order_relaxed);
    const std::uint32_t at = static_cast<std::uint32_t>(key.lo) & index.mask;
    return at < index.used ? at : at & index.mask >> 1;
  }
  std::uint32_t& head(const base::Digest& key) { return head_at(place(key)); }
  // Of a head or an entry's `next`. Atomic for `prefetch` alone.
  static void point(std::uint32_t& from, std::uint32_t to) {
    std::atomic_ref(from).store(to, std::memory_order_relaxed);
  }
  // Takes one more head into use, and what belongs to it from the chain it is split off.
  void grow_index();
  void unlink(Entry* entry);
  // A linked entry that is dead is free again.
  void reclaim(Entry* entry);
  // Moves the hand by one; frees the entry there if it is dead.
  bool sweep_one(Instant now);

  Entry* entries_ = nullptr;
  std::uint32_t* heads_ = nullptr;
  // Heads in use, and the power of two from there up, less one.
  struct Index {
    std::uint32_t used;
    std::uint32_t mask;
  };
  // Atomic for `prefetch` alone, which may read it as it changes.
  std::atomic<Index> index_{Index{1, 0}};
  std::uint32_t stride_bits_ = 0;
  // Up to here a lookup reads: with the mutex, one line.
  std::uint32_t head_count_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t touched_ = 0;  // entries ever used; the rest of the pool is untouched memory
  std::uint32_t free_ = 0;
  std::uint32_t hand_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t reclaimed_ = 0;
};

}  // namespace weir::store::memory
