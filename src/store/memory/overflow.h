// The counters that stand in for keys that found the table full (`on_full: shared`).
//
// One counter for each limit and set of numbers that needs one, in a table of its own that client
// keys cannot fill: it has kCells places, and a counter that equals full gives its place up. Where
// all kProbe places of a limit are taken by live ones there is no counter, and the caller denies.
//
// Thread-safety: the caller holds `mutex`, and takes it after every shard's. Nothing is allocated
// except the ring of a sliding_log.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algo/numbers.h"
#include "store/memory/lock.h"
#include "store/memory/pages.h"
#include "store/memory/shard.h"
#include "store/store.h"

namespace weir::store::memory {

class Overflow {
 public:
  static constexpr std::size_t kCells = 4096;
  static constexpr std::size_t kProbe = 16;

  struct Cell {
    Counter counter;
    algo::Numbers numbers;
    Slot slot;
    bool used;
  };

  explicit Overflow(Pages<Cell> cells) : cells_(std::move(cells)) {}
  ~Overflow();

  // The counter of this limit under these numbers, or null when there is no place for one. One
  // that is full may go to another limit as soon as time has moved on.
  Counter* find(Slot slot, const algo::Numbers& numbers, Instant now);

  Lock mutex;

 private:
  Pages<Cell> cells_;  // zeroed: `used` is false
};

}  // namespace weir::store::memory
