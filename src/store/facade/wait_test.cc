// Limiter::wait on a clock and a sleeper that the test owns.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "weir/limiter.h"

namespace weir {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

// Sleeping moves the clock; others act when a sleep begins (`meanwhile`) and when it ends.
class ManualSleeper final : public Sleeper {
 public:
  explicit ManualSleeper(ManualClock& clock) : clock_(clock) {}

  bool sleep_for(nanoseconds length, const std::stop_token& stop) override {
    slept.push_back(length);
    if (meanwhile) meanwhile();
    if (stop.stop_requested()) return false;
    clock_.advance(Duration{static_cast<std::uint64_t>(length.count())});
    if (afterwards) afterwards();
    return true;
  }
  nanoseconds total() const {
    nanoseconds sum{0};
    for (const nanoseconds s : slept) sum += s;
    return sum;
  }

  std::vector<nanoseconds> slept;
  std::function<void()> meanwhile;
  std::function<void()> afterwards;

 private:
  ManualClock& clock_;
};

class WaitTest : public ::testing::Test {
 protected:
  Limiter make(const Limit& limit) {
    return Limiter(limit, {.max_keys = 100, .clock = &clock_, .sleeper = &sleeper_});
  }
  ManualClock clock_{Instant{1'795'996'800'000'000'000}, Instant{1'000'000'000}};
  ManualSleeper sleeper_{clock_};
};

TEST_F(WaitTest, DoesNotSleepWhereThereIsRoom) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 2});
  EXPECT_TRUE(limiter.wait("k", 1, 0s));
  EXPECT_TRUE(limiter.wait("k", 1, 0s));
  EXPECT_TRUE(sleeper_.slept.empty());
}

TEST_F(WaitTest, SleepsExactlyUntilThereIs) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 2});
  EXPECT_TRUE(limiter.charge("k", 2));
  const LimitDecision d = limiter.wait("k", 2, 1s);
  EXPECT_TRUE(d);
  EXPECT_EQ(sleeper_.slept, std::vector<nanoseconds>{200ms});
  EXPECT_FALSE(limiter.charge("k"));
}

TEST_F(WaitTest, ReturnsAtOnceWhereTheWaitWouldPassTheDeadline) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 2});
  EXPECT_TRUE(limiter.charge("k", 2));
  EXPECT_FALSE(limiter.wait("k", 2, 199ms));
  EXPECT_TRUE(sleeper_.slept.empty());
  EXPECT_TRUE(limiter.wait("k", 2, 200ms));
  EXPECT_FALSE(limiter.wait("k", 3, nanoseconds::max())) << "a cost that never fits";
  EXPECT_FALSE(limiter.wait("k", 1, -1s));
  EXPECT_EQ(sleeper_.slept.size(), 1u);
}

TEST_F(WaitTest, AsksAgainWhenAnotherCameFirst) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 1});
  EXPECT_TRUE(limiter.charge("k"));
  int rivals = 3;
  sleeper_.afterwards = [&] {
    if (rivals-- > 0) {
      EXPECT_TRUE(limiter.charge("k"));
    }
  };
  EXPECT_TRUE(limiter.wait("k", 1, 2s));
  EXPECT_EQ(sleeper_.slept.size(), 4u);
}

TEST_F(WaitTest, GivesUpAtTheDeadlineWhenOthersKeepComingFirst) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 1});
  EXPECT_TRUE(limiter.charge("k"));
  const Instant start = clock_.now().steady;
  sleeper_.afterwards = [&] { EXPECT_TRUE(limiter.charge("k")); };
  EXPECT_FALSE(limiter.wait("k", 1, 1s));
  EXPECT_EQ((clock_.now().steady - start).ns, seconds(1).ns);
}

TEST_F(WaitTest, AQueuesDelayIsOverOnReturn) {
  Limiter limiter = make(LeakyBucket{.rate = per_second(10), .queue = 20});
  const Instant start = clock_.now().steady;
  for (std::uint64_t i = 0; i < 30; ++i) {
    EXPECT_TRUE(limiter.wait("k", 1, 1s));
    EXPECT_EQ((clock_.now().steady - start).ns, milliseconds(100 * i).ns);
  }
}

TEST_F(WaitTest, DoesNotQueueWhereTheTurnWouldComeTooLate) {
  Limiter limiter = make(LeakyBucket{.rate = per_second(10), .queue = 20});
  for (int i = 0; i < 11; ++i) EXPECT_TRUE(limiter.charge("k"));
  EXPECT_FALSE(limiter.wait("k", 1, 1099ms));
  EXPECT_TRUE(sleeper_.slept.empty());
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(limiter.charge("k"));
  EXPECT_FALSE(limiter.wait("k", 1, 2099ms)) << "the queue is full, and its end too far away";
  EXPECT_TRUE(sleeper_.slept.empty());
  EXPECT_TRUE(limiter.wait("k", 1, 2100ms));
  EXPECT_EQ(sleeper_.total(), 2100ms);
}

TEST_F(WaitTest, AStopEndsTheWaitAndTakesNothing) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 2});
  EXPECT_TRUE(limiter.charge("k", 2));
  std::stop_source source;
  sleeper_.meanwhile = [&] { source.request_stop(); };
  EXPECT_FALSE(limiter.wait("k", 1, 1s, source.get_token()));
  clock_.advance(milliseconds(100));
  EXPECT_EQ(limiter.peek("k").remaining, 1u);
  // Stopped before it began, with room: a denial all the same.
  const LimitDecision d = limiter.wait("k", 1, 1s, source.get_token());
  EXPECT_FALSE(d);
  EXPECT_EQ(d.remaining, 1u);
  EXPECT_EQ(sleeper_.slept.size(), 1u);
}

TEST_F(WaitTest, AStopInTheQueueGivesThePlaceBack) {
  Limiter limiter = make(LeakyBucket{.rate = per_second(10), .queue = 20});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limiter.charge("k"));
  const std::uint64_t before = limiter.peek("k").remaining;
  std::stop_source source;
  sleeper_.meanwhile = [&] { source.request_stop(); };
  EXPECT_FALSE(limiter.wait("k", 1, 1s, source.get_token()));
  EXPECT_EQ(limiter.peek("k").remaining, before);
}

TEST_F(WaitTest, LongWaitsAreSleptInParts) {
  Limiter limiter = make(TokenBucket{.rate = rate(1, 2h + 30min), .burst = 1});
  EXPECT_TRUE(limiter.charge("k"));
  EXPECT_TRUE(limiter.wait("k", 1, 24h));
  EXPECT_EQ(sleeper_.slept, (std::vector<nanoseconds>{1h, 1h, 30min}));
}

TEST(Wait, TheSystemsSleeperPassesTimeAndHeedsAStop) {
  Limiter limiter(TokenBucket{.rate = per_second(1'000), .burst = 1});
  EXPECT_TRUE(limiter.charge("k"));
  EXPECT_TRUE(limiter.wait("k", 1, 10s));
  Limiter slow(TokenBucket{.rate = per_hour(1), .burst = 1});
  EXPECT_TRUE(slow.charge("k"));
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(slow.wait("k", 1, 24h, source.get_token()));
}

}  // namespace
}  // namespace weir
