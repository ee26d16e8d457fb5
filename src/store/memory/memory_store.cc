#include "store/memory/memory_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "algo/step.h"
#include "store/memory/transaction.h"

namespace weir::store {

using memory::Entry;
using memory::Overflow;
using memory::Pages;
using memory::Shard;
using memory::ShardLocks;

// Keys fall on shards at random, so a shard needs room beyond its share. The number on one shard is
// binomial with mean m = max_keys / shards and a deviation below sqrt(m); with room for
// m + 6 sqrt(m) + 16 it is exceeded with probability below exp(-x^2 / (2 (m + x / 3))), where
// x = 6 sqrt(m) + 16 (Bernstein). A shard has m >= 1,024, where that is 2.6e-9; it rises to 1.6e-8
// as m grows. For 64 shards together that is at most 1e-6 in a table that holds max_keys live keys.
struct MemoryStore::Layout {
  std::size_t shards = 1;
  std::uint32_t per_shard = 0;
  std::uint32_t heads = 0;  // of one shard

  explicit Layout(const MemoryOptions& o) {
    constexpr std::uint64_t kLeastKeys = 1'024;
    shards = std::min<std::size_t>(
        o.shards, std::bit_floor(std::max<std::uint64_t>(1, o.max_keys / kLeastKeys)));
    std::uint64_t room = o.max_keys;
    if (shards > 1) {
      const std::uint64_t mean = (o.max_keys + shards - 1) / shards;
      room = mean + 6 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(mean)) + 1) + 16;
    }
    per_shard = static_cast<std::uint32_t>(room);
    heads = std::bit_ceil(per_shard);
  }
};

Result<std::unique_ptr<MemoryStore>> MemoryStore::open(const MemoryOptions& options) {
  if (options.max_keys < 1 || options.max_keys > MemoryOptions::kMostKeys) {
    return Error{ErrorCode::out_of_range, "max_keys must be 1 to 1,000,000,000", "max_keys"};
  }
  if (!std::has_single_bit(options.shards) || options.shards > 64) {
    return Error{ErrorCode::invalid_argument, "shards must be a power of two up to 64", "shards"};
  }
  const Layout layout(options);
  auto entries = Pages<Entry>::map(layout.shards * layout.per_shard);
  if (!entries) return entries.error();
  auto heads = Pages<std::uint32_t>::map(layout.shards * layout.heads);
  if (!heads) return heads.error();
  auto cells = Pages<Overflow::Cell>::map(Overflow::kCells);
  if (!cells) return cells.error();
  return std::unique_ptr<MemoryStore>(
      new MemoryStore(options, layout, std::move(*entries), std::move(*heads), std::move(*cells)));
}

MemoryStore::MemoryStore(const MemoryOptions& options, const Layout& layout, Pages<Entry> entries,
                         Pages<std::uint32_t> heads, Pages<Overflow::Cell> cells)
    : max_keys_(options.max_keys),
      secret_(options.secret ? *options.secret : base::HashSecret::random()),
      entries_(std::move(entries)),
      heads_(std::move(heads)),
      overflow_(std::move(cells)),
      shards_(std::make_unique<Shard[]>(layout.shards)) {
  for (std::size_t i = 0; i < layout.shards; ++i) {
    // Shards take turns in both arrays: what is in use lies together, at the front. A range of its
    // own for each would begin at the same place of the cache, as sizes are near powers of two.
    shards_[i].attach(entries_.data() + i, layout.per_shard, heads_.data() + i, layout.heads,
                      static_cast<unsigned>(std::countr_zero(layout.shards)));
  }
  table_.shards = {shards_.get(), layout.shards};
  table_.overflow = &overflow_;
  table_.on_full = options.on_full;
}

void MemoryStore::charge(std::span<const Request> requests, Now now, Sink& sink) {
  memory::charge(table_, requests, now, sink);
}

void MemoryStore::refund(std::span<const Charge> charges, Now now) {
  const ShardLocks locks(table_, charges);
  now = table_.clamp(now);
  for (const Charge& c : charges) {
    Shard& shard = shards_[table_.shard_of(c.key)];
    Entry* entry = shard.find(c.slot, c.numbers->algorithm, c.key, now.steady);
    if (entry == nullptr) continue;  // it owes nothing
    memory::Counter& counter = entry->counter;
    if (counter.log != nullptr) {
      counter.log->refund(*c.numbers, c.cost, now);
      counter.expires_ns = counter.log->full_at(*c.numbers).ns;
    } else {
      counter.state = algo::refund(*c.numbers, counter.state, c.cost, now);
      counter.expires_ns = algo::full_at(*c.numbers, counter.state, now).ns;
    }
    if (!counter.live(now.steady)) shard.forget(entry);
  }
}

Inspection MemoryStore::inspect(const Charge& charge, Now now) {
  const ShardLocks locks(table_, {&charge, 1});
  now = table_.clamp(now);
  Shard& shard = shards_[table_.shard_of(charge.key)];
  const Entry* entry = shard.find(charge.slot, charge.numbers->algorithm, charge.key, now.steady);
  Inspection result;
  if (entry != nullptr) {
    result.live = true;
    result.ttl = Instant{entry->counter.expires_ns} - now.steady;
  }
  result.now = memory::peek(entry != nullptr ? &entry->counter : nullptr, charge, 0, now);
  return result;
}

bool MemoryStore::reset(Slot slot, const base::Digest& key) {
  Shard& shard = shards_[table_.shard_of(key)];
  const std::lock_guard lock(shard.mutex);
  return shard.reset(slot, key, table_.clamp({}).steady);
}

Stats MemoryStore::stats() const {
  Stats stats;
  stats.capacity = max_keys_;
  stats.full = table_.full.load(std::memory_order_relaxed);
  for (Shard& shard : table_.shards) {
    const std::lock_guard lock(shard.mutex);
    stats.keys += shard.keys();
    stats.reclaimed += shard.reclaimed();
  }
  return stats;
}

}  // namespace weir::store
