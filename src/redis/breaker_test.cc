#include "redis/breaker.h"

#include <gtest/gtest.h>

#include "redis/backoff.h"

namespace weir::redis {
namespace {

constexpr Instant at(std::uint64_t ms) { return Instant{} + milliseconds(ms); }

BreakerNumbers three_in_a_second() {
  return {.errors = 3, .window = seconds(1), .retry = milliseconds(200)};
}

TEST(Breaker, OpensAtTheLastOfSoManyFailuresWithinTheWindow) {
  Breaker b(three_in_a_second());
  EXPECT_FALSE(b.failed(at(0)));
  EXPECT_FALSE(b.failed(at(500)));
  EXPECT_TRUE(b.allows());
  EXPECT_TRUE(b.failed(at(1'000)));
  EXPECT_FALSE(b.allows());
  EXPECT_EQ(b.state(), Breaker::State::open);
}

TEST(Breaker, ForgetsFailuresOlderThanTheWindow) {
  Breaker b(three_in_a_second());
  for (std::uint64_t ms = 0; ms < 10'000; ms += 501) EXPECT_FALSE(b.failed(at(ms))) << ms;
  EXPECT_TRUE(b.allows());
}

TEST(Breaker, CountsFailuresBetweenSuccesses) {
  Breaker b(three_in_a_second());
  b.failed(at(0));
  b.succeeded();
  b.failed(at(1));
  b.succeeded();
  EXPECT_TRUE(b.failed(at(2)));
}

TEST(Breaker, AfterTheRetryTimeOneProbeGoes) {
  Breaker b(three_in_a_second());
  for (int i = 0; i < 3; ++i) b.failed(at(10));
  EXPECT_FALSE(b.wants_probe(at(209)));
  EXPECT_EQ(b.retry_at(), at(210));
  EXPECT_TRUE(b.wants_probe(at(210)));
  b.probing();
  EXPECT_EQ(b.state(), Breaker::State::half_open);
  EXPECT_FALSE(b.allows());
  EXPECT_FALSE(b.wants_probe(at(10'000)));
}

TEST(Breaker, AProbeThatSucceedsClosesItWithAFreshCount) {
  Breaker b(three_in_a_second());
  for (int i = 0; i < 3; ++i) b.failed(at(10));
  b.probing();
  b.succeeded();
  EXPECT_TRUE(b.allows());
  EXPECT_FALSE(b.failed(at(211)));
  EXPECT_FALSE(b.failed(at(212)));
  EXPECT_TRUE(b.failed(at(213)));
}

TEST(Breaker, AProbeThatFailsOpensItAgainForTheWholeRetryTime) {
  Breaker b(three_in_a_second());
  for (int i = 0; i < 3; ++i) b.failed(at(10));
  b.probing();
  EXPECT_TRUE(b.failed(at(5'000)));
  EXPECT_EQ(b.state(), Breaker::State::open);
  EXPECT_FALSE(b.wants_probe(at(5'199)));
  EXPECT_TRUE(b.wants_probe(at(5'200)));
}

TEST(Breaker, LateFailuresDoNotKeepItOpen) {
  Breaker b(three_in_a_second());
  for (int i = 0; i < 3; ++i) b.failed(at(10));
  EXPECT_FALSE(b.failed(at(200)));
  EXPECT_TRUE(b.wants_probe(at(210)));
}

TEST(Breaker, MayOpenAtTheFirstFailure) {
  Breaker b({.errors = 1, .window = seconds(1), .retry = seconds(1)});
  EXPECT_TRUE(b.failed(at(0)));
}

TEST(Backoff, DoublesFromTheLeastToTheMost) {
  Backoff b({.least = milliseconds(50), .most = seconds(2)});
  const std::uint64_t most[] = {50, 100, 200, 400, 800, 1'600, 2'000, 2'000, 2'000};
  for (const std::uint64_t ms : most) EXPECT_EQ(b.next(~std::uint64_t{0}), milliseconds(ms));
}

TEST(Backoff, IsAtLeastHalfOfThat) {
  Backoff b({.least = milliseconds(50), .most = seconds(2)});
  const std::uint64_t least[] = {25, 50, 100, 200, 400, 800, 1'000, 1'000};
  for (const std::uint64_t ms : least) EXPECT_EQ(b.next(0), milliseconds(ms));
}

TEST(Backoff, SpreadsBetween) {
  Backoff b({.least = milliseconds(100), .most = milliseconds(100)});
  EXPECT_EQ(b.next(std::uint64_t{1} << 63).ns / 1'000'000, 75u);
  EXPECT_EQ(b.next(std::uint64_t{1} << 62).ns / 1'000'000, 62u);
}

TEST(Backoff, StartsAgainAfterASuccess) {
  Backoff b({.least = milliseconds(50), .most = seconds(2)});
  for (int i = 0; i < 100; ++i) (void)b.next(0);
  b.reset();
  EXPECT_EQ(b.next(0), milliseconds(25));
}

}  // namespace
}  // namespace weir::redis
