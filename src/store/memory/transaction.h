// One request under its locks: resolve every counter, check all, then commit all or nothing.
//
//   Transaction t(table, request, now);    // locks the shards, fixes the instant
//   bool admitted = t.run();
//   t.finish();                            // unlocks; outcomes() stay valid
//
// Locks are taken in one order (shards ascending, then the overflow counters), so requests cannot
// deadlock, and the instant is read under them, so no counter ever sees time go back. Lives on the
// stack of one thread; allocates nothing but the ring of a sliding_log that is charged.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "algo/step.h"
#include "base/lazy_array.h"
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
  Now clamp(Now now);
};

// What a counter says to `cost` of this charge's limit; null is a full one. Changes nothing.
Outcome peek(const Counter* counter, const Charge& charge, std::uint64_t cost, Now now);

// The distinct shards of some charges, locked in ascending order.
class ShardLocks {
 public:
  ShardLocks(Table& table, std::span<const Charge> charges);
  ~ShardLocks() { unlock(); }
  ShardLocks(const ShardLocks&) = delete;
  void unlock();

 private:
  Table& table_;
  std::uint64_t held_ = 0;
};

class Transaction {
 public:
  // At most kMaxCharges charges.
  Transaction(Table& table, const Request& request, Now now);
  Transaction(const Transaction&) = delete;

  // True if every enforced charge had room; then, unless it was a peek, all are charged.
  bool run();
  void finish();

  Now now() const { return now_; }
  std::span<const Outcome> outcomes() const { return {outcomes_.data(), charges_.size()}; }

 private:
  // One counter that the request touches, by one charge or by several.
  struct Group {
    Counter* counter = nullptr;  // null: no place for it, and none in the overflow
    Entry* reserved = nullptr;   // to be linked on commit, or given back
    bool overflow = false;
    bool charged = false;
    const algo::State* state = nullptr;  // what the next charge is checked against
    algo::State between;                 // that state, where charges went before
    algo::Change change;                 // what the charges checked so far make of the counter
    std::uint64_t cost = 0;              // of the charges checked so far and admitted
  };

  void resolve(std::size_t i);
  void resolve_in_overflow(std::size_t i);
  bool check(std::size_t i);
  bool refuse_for_want_of_place(std::size_t i);
  void commit(std::size_t i);
  void settle_groups();
  void show_as_found();
  Outcome view(std::size_t i, std::uint64_t cost) const;
  void clamp_denied(Group& g);
  // Whether an earlier charge of the request has the counter of charge i, which then shares it.
  bool joins_another(std::size_t i);
  const Charge& charge(std::size_t i) const { return charges_[i]; }
  Group& group(std::size_t i) { return groups_[group_of_[i]]; }
  const Group& group(std::size_t i) const { return groups_[group_of_[i]]; }
  Shard& shard(std::size_t i) { return table_.shards[table_.shard_of(charge(i).key)]; }

  Table& table_;
  const std::span<const Charge> charges_;
  const bool peek_;
  bool reserved_ = false;  // some group has a reserved entry
  bool joined_ = false;    // some group has several charges
  ShardLocks locks_;
  std::unique_lock<Lock> overflow_lock_;
  Now now_;
  std::array<std::uint8_t, kMaxCharges> group_of_;
  base::LazyArray<Group, kMaxCharges> groups_;
  base::LazyArray<Outcome, kMaxCharges> outcomes_;
};

}  // namespace weir::store::memory
