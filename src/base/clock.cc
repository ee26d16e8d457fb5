// SystemClock: the machine's BOOTTIME, and how far Unix time is from it.
#include "weir/clock.h"

#include <time.h>

namespace weir {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kReadEvery = kSecond;
// A reading of both clocks that took longer was interrupted and is off by as much.
constexpr std::uint64_t kQuickReading = 10'000;

std::uint64_t read_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

// Unix time less BOOTTIME, from the quickest of a few readings.
std::int64_t measure_wall_offset() {
  std::uint64_t best_took = ~std::uint64_t{0};
  std::uint64_t offset = 0;
  for (int tries = 0; tries < 4 && best_took > kQuickReading; ++tries) {
    const std::uint64_t before = read_ns(CLOCK_BOOTTIME);
    const std::uint64_t wall = read_ns(CLOCK_REALTIME);
    const std::uint64_t took = read_ns(CLOCK_BOOTTIME) - before;
    if (took >= best_took) continue;
    best_took = took;
    offset = wall - (before + took / 2);
  }
  return static_cast<std::int64_t>(offset);
}

}  // namespace

Now SystemClock::now() {
  const std::uint64_t steady = read_ns(CLOCK_BOOTTIME);
  // Acquire pairs with the release below: whoever sees that the offset was read sees the offset.
  const std::uint64_t read_at = offset_read_at_ns_.load(std::memory_order_acquire);
  // Zero: never read. Two threads may both re-read; either result is right.
  if (read_at == 0 || (steady > read_at && steady - read_at >= kReadEvery)) {
    wall_offset_ns_.store(measure_wall_offset(), std::memory_order_relaxed);
    offset_read_at_ns_.store(steady != 0 ? steady : 1, std::memory_order_release);
  }
  return {{steady}, wall_offset_ns_.load(std::memory_order_relaxed)};
}

}  // namespace weir
