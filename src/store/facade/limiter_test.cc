#include <gtest/gtest.h>
#include <weir/weir.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weir {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

class LimiterTest : public ::testing::Test {
 protected:
  Limiter make(const Limit& limit, std::uint64_t max_keys = 10'000,
               OnFull on_full = OnFull::shared) {
    return Limiter(limit, {.max_keys = max_keys, .on_full = on_full, .clock = &clock_});
  }
  ManualClock clock_{Instant{1'795'996'800'000'000'000}, Instant{1'000'000'000}};
};

TEST_F(LimiterTest, ABucketAdmitsItsBurstAndThenItsRate) {
  Limiter limiter = make(TokenBucket{.rate = per_second(10), .burst = 20});
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(limiter.charge("user:42").admit) << i;
  const LimitDecision denied = limiter.charge("user:42");
  EXPECT_FALSE(denied);
  EXPECT_EQ(denied.reason, Reason::limit_exceeded);
  EXPECT_EQ(denied.retry_after, 100ms);
  EXPECT_EQ(denied.limit, 20u);
  EXPECT_EQ(denied.remaining, 0u);
  clock_.advance(milliseconds(99));
  EXPECT_FALSE(limiter.charge("user:42"));
  clock_.advance(milliseconds(1));
  EXPECT_TRUE(limiter.charge("user:42"));
}

TEST_F(LimiterTest, ABurstThatIsNotGivenIsTheCountOfTheRate) {
  Limiter limiter = make(TokenBucket{.rate = per_minute(60)});
  EXPECT_EQ(limiter.peek("k").limit, 60u);
}

TEST_F(LimiterTest, EveryAlgorithmKeepsItsLimit) {
  const Limit limits[] = {TokenBucket{.rate = per_day(5)},
                          FixedWindow{.limit = 5, .window = 24h},
                          FixedWindow{.limit = 5, .window = 24h, .align = Align::first},
                          SlidingWindow{.limit = 5, .window = 24h},
                          SlidingLog{.limit = 5, .window = 24h},
                          LeakyBucket{.rate = per_day(5), .queue = 4}};
  for (const Limit& limit : limits) {
    SCOPED_TRACE(limit.index());
    Limiter limiter = make(limit);
    EXPECT_TRUE(limiter.charge("k", 3));
    EXPECT_EQ(limiter.peek("k").remaining, 2u);
    EXPECT_FALSE(limiter.charge("k", 3));
    EXPECT_TRUE(limiter.charge("k", 2));
    EXPECT_FALSE(limiter.charge("k"));
    EXPECT_TRUE(limiter.charge("other", 5));
    limiter.refund("k", 2);
    EXPECT_TRUE(limiter.charge("k", 2));
    const LimitDecision never = limiter.charge("k", 6);
    EXPECT_EQ(never.reason, Reason::cost_exceeds_limit);
    EXPECT_EQ(never.retry_after, LimitDecision::kNever);
    EXPECT_TRUE(limiter.reset("k"));
    EXPECT_FALSE(limiter.reset("k"));
    EXPECT_TRUE(limiter.charge("k", 5));
  }
}

// Rates in units of another length than they are asked in.
TEST_F(LimiterTest, RatesMeanWhatTheySay) {
  struct Case {
    Rate rate;
    nanoseconds a_token;
  };
  for (const Case& c :
       {Case{per_second(4), 250ms}, Case{per_minute(4), 15s}, Case{per_hour(4), 15min},
        Case{per_day(4), 6h}, Case{rate(4, 2s), 500ms}, Case{rate(1, 10ms), 10ms}}) {
    Limiter limiter = make(TokenBucket{.rate = c.rate, .burst = 1});
    EXPECT_TRUE(limiter.charge("k"));
    EXPECT_EQ(limiter.charge("k").retry_after, c.a_token);
  }
}

TEST_F(LimiterTest, AQueueGivesDelays) {
  Limiter limiter = make(LeakyBucket{.rate = per_second(10), .queue = 20, .max_wait = 1s});
  int admitted = 0;
  for (int i = 0; i < 25; ++i) {
    const LimitDecision d = limiter.charge("k");
    if (d.admit) {
      EXPECT_EQ(d.delay, i * 100ms);
    }
    admitted += d.admit ? 1 : 0;
  }
  EXPECT_EQ(admitted, 11);  // those who wait at most a second
}

TEST_F(LimiterTest, KeysAreKeptApartByKindAndByEveryByte) {
  Limiter limiter = make(TokenBucket{.rate = per_day(1)});
  const std::string long_text(250, 'x');
  const std::vector<Key> keys = {Key(""),
                                 Key("42"),
                                 Key(42),
                                 Key(std::string_view("42\0", 3)),
                                 Key("a"),
                                 Key(0),
                                 Key(-1),
                                 Key(~0ull),
                                 Key(std::string_view("\0", 1)),
                                 Key(std::string_view("\x2a\0\0\0\0\0\0\0", 8)),
                                 Key(long_text)};
  for (const Key& key : keys) EXPECT_TRUE(limiter.charge(key).admit);
  for (const Key& key : keys) EXPECT_FALSE(limiter.charge(key).admit);
  EXPECT_FALSE(limiter.charge(std::uint8_t{42})) << "a whole number of any width";
}

TEST_F(LimiterTest, LongKeysThatShareTheirFirstBytesDiffer) {
  Limiter limiter = make(TokenBucket{.rate = per_day(1)});
  for (const std::size_t size : {10u, 191u, 192u, 193u, 250u, 1'000u, 65'536u}) {
    const std::string text(size, 'x');
    EXPECT_TRUE(limiter.charge(text + "a")) << size;
    EXPECT_TRUE(limiter.charge(text + "b")) << size;
    EXPECT_FALSE(limiter.charge(text + "a")) << size;
  }
}

TEST_F(LimiterTest, NumbersOfTheCallApplyToTheSameCounter) {
  Limiter limiter = make(FixedWindow{.limit = 5, .window = 1h});
  const auto pro = PreparedLimit::make(FixedWindow{.limit = 100, .window = 1h});
  ASSERT_TRUE(pro);
  EXPECT_TRUE(limiter.charge("k", 5));
  EXPECT_FALSE(limiter.charge("k"));
  EXPECT_EQ(limiter.charge("k", 10, *pro).remaining, 85u);
  EXPECT_EQ(limiter.peek("k", 1, *pro).remaining, 85u);
  limiter.refund("k", 10, *pro);
  EXPECT_EQ(limiter.peek("k", 1, *pro).remaining, 95u);
  EXPECT_FALSE(limiter.charge("k"));
}

TEST_F(LimiterTest, AnotherWindowOrAlgorithmOfTheCallStartsFresh) {
  Limiter limiter = make(FixedWindow{.limit = 5, .window = 1h});
  EXPECT_TRUE(limiter.charge("k", 5));
  for (const Limit& limit :
       {Limit(FixedWindow{.limit = 5, .window = 2h}),
        Limit(FixedWindow{.limit = 5, .window = 1h, .align = Align::first}),
        Limit(SlidingWindow{.limit = 5, .window = 1h}), Limit(SlidingLog{.limit = 5, .window = 1h}),
        Limit(TokenBucket{.rate = per_hour(5)}),
        Limit(LeakyBucket{.rate = per_hour(5), .queue = 4})}) {
    const auto other = PreparedLimit::make(limit);
    ASSERT_TRUE(other);
    EXPECT_TRUE(limiter.charge("k", 5, *other));
    EXPECT_FALSE(limiter.charge("k", 5, *other));
  }
  EXPECT_FALSE(limiter.charge("k"));
}

struct Wrong {
  const char* name;
  Limit limit;
};

TEST_F(LimiterTest, RefusesNumbersItCannotKeepExactly) {
  const Wrong cases[] = {
      {"rate 0", TokenBucket{.rate = per_second(0), .burst = 1}},
      {"burst 0", TokenBucket{.rate = per_second(1), .burst = 0}},
      {"no rate", TokenBucket{}},
      {"period 0", TokenBucket{.rate = rate(1, 0ns)}},
      {"negative period", TokenBucket{.rate = rate(1, -1s)}},
      {"beyond one a nanosecond", TokenBucket{.rate = per_second(1'000'000'001)}},
      {"fills in more than 400 years", TokenBucket{.rate = per_day(1), .burst = 146'101}},
      {"limit 0", FixedWindow{.limit = 0, .window = 1s}},
      {"window 0", SlidingWindow{.limit = 1}},
      {"negative window", SlidingLog{.limit = 1, .window = -1s}},
      {"beyond 2^53", FixedWindow{.limit = (1ull << 53) + 1, .window = 24h * 365}},
  };
  for (const Wrong& c : cases) {
    SCOPED_TRACE(c.name);
    const auto made = Limiter::make(c.limit);
    ASSERT_FALSE(made);
    EXPECT_FALSE(made.error().text().empty());
    EXPECT_FALSE(PreparedLimit::make(c.limit));
    EXPECT_THROW(Limiter{c.limit}, std::invalid_argument);
  }
  EXPECT_TRUE(Limiter::make(TokenBucket{.rate = per_day(1), .burst = 146'100}));
  EXPECT_FALSE(Limiter::make(TokenBucket{.rate = per_day(1)}, {.max_keys = 0}));
}

TEST_F(LimiterTest, WithoutAPlaceKeysShareACounterOrAreDenied) {
  Limiter shared = make(TokenBucket{.rate = per_day(2)}, 1);
  EXPECT_TRUE(shared.charge("a"));
  EXPECT_TRUE(shared.charge("b").overflow);
  EXPECT_TRUE(shared.charge("c").overflow);
  EXPECT_FALSE(shared.charge("d"));
  EXPECT_EQ(shared.stats().full, 3u);
  EXPECT_EQ(shared.stats().keys, 1u);
  EXPECT_EQ(shared.stats().max_keys, 1u);
  Limiter strict = make(TokenBucket{.rate = per_day(2)}, 1, OnFull::deny);
  EXPECT_TRUE(strict.charge("a"));
  EXPECT_EQ(strict.charge("b").reason, Reason::table_full);
}

TEST_F(LimiterTest, MovesWithItsCounters) {
  Limiter first = make(TokenBucket{.rate = per_day(1)});
  EXPECT_TRUE(first.charge("k"));
  Limiter second = std::move(first);
  EXPECT_FALSE(second.charge("k"));
  std::vector<Limiter> many;
  many.push_back(std::move(second));
  EXPECT_FALSE(many[0].charge("k"));
}

// The clock of a caller that lags mints nothing: two views of time 50 ms apart, 5/s, burst 10.
TEST_F(LimiterTest, ALaggingClockMintsNothing) {
  class Skewed final : public Clock {
   public:
    explicit Skewed(Clock& of) : of_(of) {}
    Now now() override {
      Now n = of_.now();
      if (++calls_ % 2 == 0) n.steady = n.steady - milliseconds(50);
      return n;
    }

   private:
    Clock& of_;
    int calls_ = 0;
  } skewed(clock_);
  Limiter limiter(TokenBucket{.rate = per_second(5), .burst = 10}, {.clock = &skewed});
  int admitted = 0;
  for (int ms = 0; ms <= 1'000; ++ms) {
    admitted += limiter.charge("k").admit ? 1 : 0;
    admitted += limiter.charge("k").admit ? 1 : 0;
    clock_.advance(milliseconds(1));
  }
  EXPECT_EQ(admitted, 15);
}

TEST(Limiter, KeepsItsEnvelopeOnTheSystemClockAndManyThreads) {
  Limiter limiter(TokenBucket{.rate = per_hour(1), .burst = 1'000});
  std::vector<std::thread> threads;
  std::atomic<int> admitted{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) admitted += limiter.charge("k").admit ? 1 : 0;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(admitted, 1'000);
}

}  // namespace
}  // namespace weir
