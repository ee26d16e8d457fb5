// The examples of the installed headers, as a user would type them.
#include <gtest/gtest.h>
#include <weir/weir.h>

#include <thread>

namespace {

using namespace std::chrono_literals;

TEST(Snippets, WeirH) {
  weir::Limiter limiter(weir::TokenBucket{.rate = weir::per_second(10), .burst = 20});
  if (auto d = limiter.charge("user:42"); !d.admit) std::this_thread::sleep_for(d.retry_after);
  EXPECT_EQ(limiter.peek("user:42").remaining, 19u);
}

TEST(Snippets, LimitsH) {
  EXPECT_TRUE(weir::Limiter::make(weir::FixedWindow{.limit = 1'000, .window = 1h}));
  weir::Limiter limiter(
      weir::LeakyBucket{.rate = weir::per_second(5), .queue = 20, .max_wait = 2s});
  EXPECT_TRUE(limiter.charge("k"));
  weir::Limiter buckets(weir::TokenBucket{.rate = weir::per_second(10)});
  auto pro = weir::PreparedLimit::make(weir::TokenBucket{.rate = weir::per_second(100)});
  ASSERT_TRUE(pro);
  EXPECT_EQ(buckets.charge("user:42", 1, *pro).remaining, 99u);
}

TEST(Snippets, LimitSetH) {
  weir::LimitSet limits;
  const auto user = limits.add("user", weir::TokenBucket{.rate = weir::per_second(10)});
  const auto global = limits.add("global", weir::FixedWindow{.limit = 100'000, .window = 1min});
  std::chrono::nanoseconds rejected{0};
  if (auto d = limits.charge({{user, "42"}, {global, ""}}); !d.admit) rejected = d.retry_after;
  EXPECT_EQ(rejected, 0ns);
}

TEST(Snippets, ClockH) {
  weir::ManualClock clock;
  weir::Limiter limiter(weir::TokenBucket{.rate = weir::per_minute(1)}, {.clock = &clock});
  EXPECT_TRUE(limiter.charge("k"));
  EXPECT_FALSE(limiter.charge("k"));
  clock.advance(weir::seconds(60));
  EXPECT_TRUE(limiter.charge("k"));
}

}  // namespace
