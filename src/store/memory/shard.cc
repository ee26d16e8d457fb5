#include "store/memory/shard.h"

#include <bit>
#include <cassert>

namespace weir::store::memory {

void Counter::clear() {
  delete log;
  *this = {};
}

Shard::~Shard() {
  for (std::uint32_t i = 1; i <= touched_; ++i) delete at(i)->counter.log;
}

void Shard::attach(Entry* entries, std::uint32_t capacity, std::uint32_t* heads,
                   std::uint32_t head_count, unsigned stride_bits) {
  assert((head_count & (head_count - 1)) == 0);
  entries_ = entries;
  capacity_ = capacity;
  heads_ = heads;
  stride_bits_ = stride_bits;
  head_count_ = head_count;
}

Entry* Shard::take(Instant now) {
  if (free_ == 0 && touched_ == capacity_) {
    for (std::uint32_t i = 0; i < kProbe && free_ == 0; ++i) sweep_one(now);
    if (free_ == 0) return nullptr;
  }
  if (free_ == 0) return at(++touched_);
  Entry* entry = at(free_);
  free_ = entry->next;
  return entry;
}

void Shard::give_back(Entry* entry) {
  assert(!entry->linked);
  entry->counter.clear();
  entry->next = free_;
  free_ = index_of(entry);
}

void Shard::link(Entry* entry, Slot slot, Algorithm algorithm, const base::Digest& key,
                 Instant now) {
  assert(!entry->linked && entry->counter.live(now));
  entry->key = key;
  entry->slot = slot;
  entry->algorithm = algorithm;
  entry->linked = true;
  std::uint32_t& first = head(key);
  entry->next = first;
  point(first, index_of(entry));
  ++keys_;
  for (std::uint32_t i = 0; i < kSplit; ++i) grow_index();
  for (std::uint32_t i = 0; i < kSweep; ++i) sweep_one(now);
}

void Shard::grow_index() {
  const std::uint32_t added = index_.load(std::memory_order_relaxed).used;
  if (added == head_count_ || added >= kSplit * keys_) return;
  const std::uint32_t mask = std::bit_ceil(added + 1) - 1;
  index_.store({added + 1, mask}, std::memory_order_relaxed);
  std::uint32_t* from = &head_at(added & mask >> 1);
  std::uint32_t* to = &head_at(added);
  while (*from != 0) {
    Entry* entry = at(*from);
    if ((entry->key.lo & mask) != added) {
      from = &entry->next;
      continue;
    }
    point(*to, *from);
    point(*from, entry->next);
    to = &entry->next;
  }
  point(*to, 0);
}

void Shard::unlink(Entry* entry) {
  std::uint32_t* from = &head(entry->key);
  while (*from != index_of(entry)) from = &at(*from)->next;
  point(*from, entry->next);
  entry->linked = false;
  --keys_;
}

void Shard::forget(Entry* entry) {
  unlink(entry);
  give_back(entry);
}

void Shard::reclaim(Entry* entry) {
  forget(entry);
  ++reclaimed_;
}

bool Shard::sweep_one(Instant now) {
  hand_ = hand_ < touched_ ? hand_ + 1 : 1;
  Entry* entry = at(hand_);
  if (!entry->linked || entry->counter.live(now)) return false;
  reclaim(entry);
  return true;
}

bool Shard::reset(Slot slot, const base::Digest& key, Instant now) {
  bool any = false;
  for (std::uint32_t i = head(key); i != 0;) {
    Entry* entry = at(i);
    i = entry->next;
    if (entry->key != key || entry->slot != slot) continue;
    any = any || entry->counter.live(now);
    forget(entry);
  }
  return any;
}

}  // namespace weir::store::memory
