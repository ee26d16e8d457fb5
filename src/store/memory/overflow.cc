#include "store/memory/overflow.h"

namespace weir::store::memory {
namespace {

std::size_t place(Slot slot, const algo::Numbers& numbers) {
  std::uint64_t h = slot;
  for (const std::uint64_t word : {numbers.count, numbers.period_ns, numbers.burst}) {
    h = (h ^ word) * 0x9E3779B97F4A7C15;
    h ^= h >> 29;
  }
  return h % Overflow::kCells;
}

// A dead counter starts full (what it held may read as live again when wall time steps back), and
// until time moves on no other charge of the same request can take its place.
Counter* ready(Overflow::Cell& cell, Instant now) {
  if (!cell.counter.live(now)) {
    cell.counter.clear();
    cell.counter.expires_ns = (now + nanoseconds(1)).ns;
  }
  return &cell.counter;
}

}  // namespace

Overflow::~Overflow() {
  for (std::size_t i = 0; i < kCells; ++i) delete cells_.data()[i].counter.log;
}

Counter* Overflow::find(Slot slot, const algo::Numbers& numbers, Instant now) {
  const std::size_t start = place(slot, numbers);
  Cell* dead = nullptr;
  for (std::size_t i = 0; i < kProbe; ++i) {
    Cell& cell = cells_.data()[(start + i) % kCells];
    if (cell.used && cell.slot == slot && cell.numbers == numbers) return ready(cell, now);
    if (dead == nullptr && !cell.counter.live(now)) dead = &cell;
  }
  if (dead == nullptr) return nullptr;
  dead->numbers = numbers;
  dead->slot = slot;
  dead->used = true;
  return ready(*dead, now);
}

}  // namespace weir::store::memory
