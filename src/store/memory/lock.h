// A mutex of four bytes that is taken and given back without a call while nobody else wants it.
//
// A decision takes one a counter, for less time than a call of the C library costs. Who finds it
// taken sleeps in the kernel (U. Drepper, "Futexes Are Tricky", the second mutex). Not recursive;
// not fair. Works with std::lock_guard and std::unique_lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::store::memory {

class Lock {
 public:
  Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() {
    std::uint32_t seen = kFree;
    if (!state_.compare_exchange_strong(seen, kTaken, std::memory_order_acquire)) wait();
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kWanted) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kWanted = 2;  // taken, and somebody may sleep

  [[gnu::noinline, gnu::cold]] void wait() {
    while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) {
      state_.wait(kWanted, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace weir::store::memory
