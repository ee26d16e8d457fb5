// The script in a real Redis against the memory store at the ends of the range: limits to 2^53, a
// burst that takes 400 years, a thousand million a second, rates that no nanosecond divides.
#include <gtest/gtest.h>

#include <algorithm>

#include "algo/testing/random.h"
#include "redis/testing/differential.h"

namespace weir::redis::testing {
namespace {

using algo::Numbers;
using algo::testing::Random;
using store::testing::Seen;

constexpr std::uint64_t kEndUs = 4'000'000'000'000'000;  // 2096

// The window in whole microseconds, and a limit that it allows.
Numbers whole_microseconds(Numbers n) {
  if (n.algorithm == Algorithm::token_bucket || n.algorithm == Algorithm::leaky_bucket) return n;
  n.period_ns = std::max<std::uint64_t>(1'000, n.period_ns / 1'000 * 1'000);
  n.count = n.burst = std::min(n.count, n.period_ns);
  return n;
}

// The same rate with a part of the burst: what another tier may have of the same counter.
Numbers with_less_burst(const Numbers& n, Random& random) {
  const std::uint64_t burst = random.of_any_size(n.burst);
  if (n.algorithm == Algorithm::token_bucket) {
    return algo::testing::token_bucket(n.count, {n.period_ns}, burst);
  }
  if (n.algorithm != Algorithm::leaky_bucket) return n;
  return algo::testing::leaky_bucket(n.count, {n.period_ns}, burst - 1, {n.max_wait_ns});
}

class Timeline {
 public:
  Timeline(Twins& twins, Random& random, const Numbers& numbers, store::Slot slot)
      : twins_(twins),
        random_(random),
        numbers_(numbers),
        less_(with_less_burst(numbers, random)),
        slot_(slot) {
    now_us_ = std::min(algo::testing::random_start(random_) / 1'000, kEndUs);
  }

  void run(int steps) {
    SCOPED_TRACE(algo::testing::describe(numbers_));
    std::vector<Seen> seen;
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      if (!seen.empty()) move_on(seen[0].outcomes[0]);
      const Numbers& n = random_.one_in(5) ? less_ : numbers_;
      store::Charge c = twins_.charge(slot_, "k", n, cost(seen));
      if (random_.one_in(8)) c.max_delay = Duration{random_.below(numbers_.period_ns)};
      TestRequest request{{c}, random_.one_in(10), false};
      if (random_.one_in(6)) request.charges.push_back(c);
      seen = twins_.decide({request}, now_us_);
      if (random_.one_in(12)) {
        c.cost = random_.of_any_size(kMaxCount);
        (void)twins_.decide({{{c}, false, true}}, now_us_);
      }
    }
  }

 private:
  std::uint64_t cost(const std::vector<Seen>& seen) {
    if (random_.one_in(12)) return 0;
    if (random_.one_in(12)) return numbers_.burst + random_.below(2);
    if (!seen.empty() && random_.one_in(2)) {
      const std::uint64_t left = seen[0].outcomes[0].remaining;
      return std::max<std::uint64_t>(1, left + random_.below(3) - (left > 0 ? 1 : 0));
    }
    return random_.of_any_size(numbers_.burst);
  }
  void move_on(const Outcome& last) {
    std::uint64_t by = 0;
    switch (random_.below(5)) {
      case 0:
        return;
      case 1:
      case 2:
        by = (random_.one_in(2) ? last.wait : last.reset).ns / 1'000 + random_.below(3);
        if (by > 0) by -= 1;
        break;
      default:
        by = random_.of_any_size(std::max<std::uint64_t>(1, numbers_.period_ns / 500));
    }
    if (by < kEndUs && now_us_ + by < kEndUs) now_us_ += by;
  }

  Twins& twins_;
  Random& random_;
  Numbers numbers_;
  Numbers less_;
  store::Slot slot_;
  std::uint64_t now_us_ = 0;
};

TEST(RedisExtremes, AgreeWithTheMemoryStoreOverTheWholeRange) {
  Twins twins;
  Random random(20'261'130);
  for (int round = 0; round < 150 && !::testing::Test::HasFailure(); ++round) {
    if (round % 20 == 0) twins.flush();
    store::Slot slot = 0;
    for (const Algorithm a : store::testing::kAlgorithms) {
      const Numbers n = whole_microseconds(algo::testing::random_numbers(random, a));
      twins.flush();  // the memory store's clock does not go back
      Timeline(twins, random, n, ++slot).run(12);
    }
  }
}

// Rates that people write and no nanosecond divides: thirds, sevenths, primes.
TEST(RedisExtremes, AgreeOnRatesThatNoNanosecondDivides) {
  Twins twins;
  Random random(7);
  const std::uint64_t counts[] = {3, 7, 9, 11, 30, 70, 101, 300, 997, 1'000'003, 70'000};
  const Duration periods[] = {milliseconds(100), milliseconds(300), seconds(1),
                              seconds(7),        minutes(1),        days(1)};
  for (const std::uint64_t count : counts) {
    for (const Duration period : periods) {
      for (const bool leaky : {false, true}) {
        if (::testing::Test::HasFailure()) return;
        twins.flush();
        const Numbers n =
            leaky ? algo::testing::leaky_bucket(count, period, random.below(2 * count),
                                                Duration{random.below(2 * period.ns)})
                  : algo::testing::token_bucket(count, period, 1 + random.below(2 * count));
        Timeline(twins, random, n, 1).run(25);
      }
    }
  }
}

struct Edge {
  const char* name;
  Numbers numbers;
};

void PrintTo(const Edge& edge, std::ostream* out) { *out << edge.name; }

class Edges : public ::testing::TestWithParam<Edge> {};

TEST_P(Edges, AgreeWithTheMemoryStore) {
  Twins twins;
  Random random(3);
  for (int i = 0; i < 12 && !HasFailure(); ++i) {
    twins.flush();
    Timeline(twins, random, GetParam().numbers, 1).run(25);
  }
}

Edge edge(const char* name, const Numbers& n) { return {name, n}; }

INSTANTIATE_TEST_SUITE_P(
    Range, Edges,
    ::testing::Values(
        edge("BurstOf2To53", algo::testing::token_bucket(1'000'000'000, seconds(1), kMaxCount)),
        edge("BurstOf400Years", algo::testing::token_bucket(1, days(1), 146'100)),
        edge("OneIn400Years", algo::testing::token_bucket(1, days(146'100), 1)),
        edge("SevenIn400Years", algo::testing::token_bucket(7, days(146'100), 7)),
        edge("PrimeADay", algo::testing::token_bucket(999'999'937, days(1), 1'000'000'007)),
        edge("PrimeInAPrime",
             algo::testing::token_bucket(999'999'937, Duration{1'000'000'000'039}, 99'999'989)),
        edge("QueueOf2To53", algo::testing::leaky_bucket(999'999'999, seconds(1), kMaxCount - 1)),
        edge("QueueOf400Years", algo::testing::leaky_bucket(7, days(146'100), 6, days(100'000))),
        edge("ThousandMillionASecond", algo::testing::fixed_window(1'000, microseconds(1))),
        edge("FixedOf2To53", algo::testing::fixed_window(kMaxCount, days(150))),
        edge("FixedOf400Years", algo::testing::fixed_window(kMaxCount, days(146'100))),
        edge("FixedFirstOf400Years",
             algo::testing::fixed_window(kMaxCount, days(146'100), Align::first)),
        edge("SlidingOf2To53", algo::testing::sliding_window(kMaxCount, days(105))),
        edge("SlidingOf285Years",
             algo::testing::sliding_window(kMaxCount, Duration{(kMaxCount + 1) * 1'000})),
        edge("SlidingOf400Years",
             algo::testing::sliding_window(kMaxCount, days(146'100), Align::first)),
        edge("SlidingMicrosecond", algo::testing::sliding_window(1'000, microseconds(1))),
        edge("SlidingOdd",
             algo::testing::sliding_window(999'999'999'989, microseconds(1'000'000'007))),
        edge("LogOfTheMost", algo::testing::sliding_log(1 << 24, seconds(1))),
        edge("LogOf400Years", algo::testing::sliding_log(5, days(146'100)))),
    [](const auto& edge) { return std::string(edge.param.name); });

}  // namespace
}  // namespace weir::redis::testing
