#include "weir/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace weir {
namespace {

std::uint64_t boot_ns() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

TEST(Duration, RoundsUpToWholeSecondsAndMilliseconds) {
  EXPECT_EQ(Duration{0}.seconds_up(), 0u);
  EXPECT_EQ(nanoseconds(1).seconds_up(), 1u);
  EXPECT_EQ(milliseconds(200).seconds_up(), 1u);
  EXPECT_EQ(milliseconds(999).seconds_up(), 1u);
  EXPECT_EQ(seconds(1).seconds_up(), 1u);
  EXPECT_EQ(milliseconds(1001).seconds_up(), 2u);
  EXPECT_EQ(nanoseconds(1'000'001).milliseconds_up(), 2u);
  EXPECT_EQ(Duration::max().seconds_up(), 18'446'744'074u);
}

TEST(Duration, SaturatesInsteadOfWrapping) {
  EXPECT_EQ(days(std::numeric_limits<std::uint64_t>::max()), Duration::max());
  EXPECT_EQ(Duration::max() + nanoseconds(1), Duration::max());
  EXPECT_EQ(nanoseconds(1) - nanoseconds(2), Duration{0});
  EXPECT_EQ((Instant{5} + Duration::max()).ns, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ((Instant{5} - nanoseconds(6)).ns, 0u);
  EXPECT_EQ(Duration::max().to_chrono(), std::chrono::nanoseconds::max());
}

TEST(Now, WallIsSteadyPlusTheOffsetAndNeverBeforeTheEpoch) {
  EXPECT_EQ((Now{{100}, 50}).wall().ns, 150u);
  EXPECT_EQ((Now{{100}, -40}).wall().ns, 60u);
  EXPECT_EQ((Now{{100}, -101}).wall().ns, 0u);
  EXPECT_EQ((Now{{100}, std::numeric_limits<std::int64_t>::min()}).wall().ns, 0u);
}

TEST(ManualClock, MovesOnlyByHandAndStepsWallTimeAlone) {
  ManualClock clock(Instant{1'000}, Instant{10});
  EXPECT_EQ(clock.now().steady.ns, 10u);
  EXPECT_EQ(clock.now().wall().ns, 1'000u);
  clock.advance(nanoseconds(5));
  EXPECT_EQ(clock.now().wall().ns, 1'005u);
  clock.step_wall(-500);
  EXPECT_EQ(clock.now().steady.ns, 15u);
  EXPECT_EQ(clock.now().wall().ns, 505u);
}

TEST(SystemClock, IsBootTimeAndUnixTime) {
  SystemClock clock;
  const std::uint64_t before = boot_ns();
  const Now now = clock.now();
  const std::uint64_t after = boot_ns();
  EXPECT_GE(now.steady.ns, before);
  EXPECT_LE(now.steady.ns, after);
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const auto unix_s = static_cast<std::uint64_t>(wall.tv_sec);
  EXPECT_GE(now.wall().ns / 1'000'000'000 + 5, unix_s);
  EXPECT_LE(now.wall().ns / 1'000'000'000, unix_s);
}

TEST(SystemClock, NeverGoesBack) {
  SystemClock clock;
  Now last = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const Now now = clock.now();
    ASSERT_GE(now.steady, last.steady);
    last = now;
  }
}

// Under TSan too: whoever sees that the wall offset was read sees the offset.
TEST(SystemClock, ServesManyThreadsFromTheFirstCall) {
  for (int round = 0; round < 20; ++round) {
    SystemClock clock;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 200; ++j) {
          if (clock.now().wall() < Instant{seconds(1'000'000'000).ns}) ++wrong;  // before 2001
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace weir
