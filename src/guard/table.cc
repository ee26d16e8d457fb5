#include "guard/table.h"

#include <algorithm>
#include <bit>

namespace weir::guard {

Table::Locks::Locks(Table& table, std::span<const store::Charge> charges) : table_(table) {
  for (const store::Charge& c : charges) held_ |= std::uint64_t{1} << (c.key.hi % kShards);
  for (std::uint64_t rest = held_; rest != 0; rest &= rest - 1) {
    table_.shards_[static_cast<std::size_t>(std::countr_zero(rest))].mutex.lock();
  }
}

Table::Locks::~Locks() {
  for (; held_ != 0; held_ &= held_ - 1) {
    table_.shards_[static_cast<std::size_t>(std::countr_zero(held_))].mutex.unlock();
  }
}

Table::Table(std::size_t counters) : sets_(std::max<std::size_t>(1, counters / (kShards * kWays))) {
  for (Shard& shard : shards_) {
    shard.places.resize(sets_ * kWays);
    shard.live.reserve(shard.places.size());
  }
}

std::span<Entry> Table::places_of(const base::Digest& key) {
  return std::span(shard_of(key).places).subspan(key.lo % sets_ * kWays, kWays);
}

Entry* Table::find(const store::Charge& charge) {
  for (Entry& e : places_of(charge.key)) {
    if (e.is(charge)) return &e;
  }
  return nullptr;
}

Entry* Table::find_or_make(const store::Charge& charge, Instant now) {
  Entry* oldest = nullptr;
  for (Entry& e : places_of(charge.key)) {
    if (e.is(charge)) {
      e.touched = now;
      return &e;
    }
    if (e.pinned() || (oldest != nullptr && oldest->empty())) continue;
    if (oldest == nullptr || e.empty() || e.touched < oldest->touched) oldest = &e;
  }
  if (oldest == nullptr) return nullptr;
  *oldest = Entry{};
  oldest->key = charge.key;
  oldest->slot = charge.slot;
  oldest->tag = charge.tag;
  oldest->numbers = *charge.numbers;
  oldest->touched = now;
  return oldest;
}

}  // namespace weir::guard
