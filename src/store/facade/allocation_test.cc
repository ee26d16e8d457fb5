// Decisions allocate nothing: operator new of this whole program is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "weir/weir.h"

namespace {
std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* at = std::malloc(size == 0 ? 1 : size)) return at;
  throw std::bad_alloc();
}
}  // namespace

// Not inlined: the compiler would see free() where it expects a delete.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return counted(size); }
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete[](void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete[](void* at, std::size_t) noexcept { std::free(at); }

namespace weir {
namespace {

using namespace std::chrono_literals;

template <typename Work>
std::uint64_t allocations_in(Work work) {
  const std::uint64_t before = allocations;
  work();
  return allocations - before;
}

TEST(Allocations, AreCounted) {
  EXPECT_EQ(allocations_in([] { ::operator delete(::operator new(8)); }), 1u);
}

TEST(Allocations, ALimiterMakesNoneAfterItWasMade) {
  const Limit limits[] = {
      TokenBucket{.rate = per_second(10)}, FixedWindow{.limit = 10, .window = 1s},
      SlidingWindow{.limit = 10, .window = 1s}, LeakyBucket{.rate = per_second(10), .queue = 9}};
  const std::string long_key(5'000, 'k');
  for (const Limit& limit : limits) {
    SCOPED_TRACE(limit.index());
    Limiter limiter(limit, {.max_keys = 2'000});
    const auto other = PreparedLimit::make(limit);
    ASSERT_TRUE(other);
    // More keys than fit: inserts, reuse, overflow, denials.
    const std::uint64_t made = allocations_in([&] {
      for (int i = 0; i < 5'000; ++i) {
        (void)limiter.charge(i);
        (void)limiter.charge("hot", 2);
        (void)limiter.charge("hot", 2, *other);
        (void)limiter.peek(long_key);
        limiter.refund("hot");
        (void)limiter.reset(i - 7);
        (void)limiter.stats();
      }
    });
    EXPECT_EQ(made, 0u);
  }
}

TEST(Allocations, ALimitSetMakesNoneAfterItsLimitsWereAdded) {
  LimitSet limits({.max_keys = 2'000});
  const auto user = limits.add("user", TokenBucket{.rate = per_second(10)});
  const auto minute = limits.add("minute", SlidingWindow{.limit = 100, .window = 1min});
  const auto global = limits.add("global", FixedWindow{.limit = 5'000, .window = 1h});
  const std::uint64_t made = allocations_in([&] {
    for (int i = 0; i < 5'000; ++i) {
      (void)limits.charge({{user, i % 3'000}, {minute, "a"}, {global, ""}});
      (void)limits.peek({{user, i}, {minute, "a", 3}, {global, ""}});
      limits.refund({{user, i}});
    }
  });
  EXPECT_EQ(made, 0u);
}

// A log grows to what its limit can hold and then stays.
TEST(Allocations, ASlidingLogMakesNoneOnceItHasGrown) {
  ManualClock clock;
  Limiter limiter(SlidingLog{.limit = 100, .window = 1s}, {.max_keys = 100, .clock = &clock});
  const auto second = [&] {
    for (int i = 0; i < 200; ++i) {
      clock.advance(milliseconds(5));
      (void)limiter.charge("k");
    }
  };
  EXPECT_GT(allocations_in(second), 0u);
  EXPECT_EQ(allocations_in(second), 0u);
}

}  // namespace
}  // namespace weir
