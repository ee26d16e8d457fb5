// Every fit against the definition that it computes faster, on random traces and at boundaries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "design/fit/burst.h"
#include "design/fit/frontier.h"
#include "design/fit/quantile.h"
#include "design/fit/windows.h"

namespace weir::design {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Up to `most` requests, often at one instant, sometimes far apart.
Trace random_trace(std::mt19937_64& random, bool weighted, std::size_t most = 40) {
  Trace trace;
  std::int64_t at = static_cast<std::int64_t>(random() % 1'000) * kSecond;
  const std::size_t n = 1 + random() % most;
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = random() % 4;
    if (kind == 1) at += static_cast<std::int64_t>(random() % kSecond);
    if (kind == 2) at += static_cast<std::int64_t>(random() % 5) * kSecond;
    if (kind == 3) at += static_cast<std::int64_t>(random() % 100'000'000);
    trace.at_ns.push_back(at);
    if (weighted) trace.costs.push_back(1 + static_cast<std::uint32_t>(random() % 9));
  }
  return trace;
}

double seconds(const Trace& trace, std::size_t i, std::size_t j) {
  return static_cast<double>(trace.at_ns[j] - trace.at_ns[i]) / 1e9;
}

double burst_by_definition(const Trace& trace, double rate) {
  double most = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    double units = 0;
    for (std::size_t j = i; j < trace.size(); ++j) {
      units += trace.cost(j);
      most = std::max(most, units - rate * seconds(trace, i, j));
    }
  }
  return most;
}

TEST(MinimalBurst, IsTheMostThatAnIntervalNeedsBeyondTheRate) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3'000; ++round) {
    const Trace trace = random_trace(random, round % 2 == 0);
    const double rate = std::exp(std::uniform_real_distribution<double>(-4, 4)(random));
    const Burst burst = minimal_burst(trace, rate);
    ASSERT_NEAR(burst.burst, burst_by_definition(trace, rate), 1e-6);
    double units = 0;
    for (std::size_t i = burst.first; i <= burst.last; ++i) units += trace.cost(i);
    ASSERT_NEAR(units - rate * seconds(trace, burst.first, burst.last), burst.burst, 1e-6);
    ASSERT_EQ(rejected_by(trace, rate, burst.burst).requests, 0u);
    ASSERT_GT(rejected_by(trace, rate, burst.burst - 1e-4).requests, 0u);
  }
  EXPECT_EQ(minimal_burst({}, 1).burst, 0);
}

TEST(MinimalBurst, OfAllRatesInOnePassIsThatOfEach) {
  std::mt19937_64 random(2);
  const RateGrid rates = rate_grid(0.01, 1'000);
  EXPECT_NEAR(rates.front(), 0.01, 1e-8);
  EXPECT_NEAR(rates.back(), 1'000, 1e-2);
  for (int round = 0; round < 300; ++round) {
    const Trace trace = random_trace(random, round % 2 == 0, 400);
    const RateGrid bursts = minimal_bursts(trace, rates);
    for (std::size_t i = 0; i < kRates; ++i) {
      const double exact = minimal_burst(trace, rates[i]).burst;
      ASSERT_NEAR(bursts[i], exact, 1e-6 * exact * static_cast<double>(trace.size()) + 1e-5);
    }
  }
  for (const float burst : minimal_bursts({}, rates)) EXPECT_EQ(burst, 0);
}

TEST(Frontier, IsTheMinimalBurstAtEveryRate) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1'000; ++round) {
    const Trace trace = random_trace(random, round % 2 == 0);
    const auto lines = frontier(trace);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.front().from, 0);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      ASSERT_LT(lines[i - 1].from, lines[i].from);
      ASSERT_GT(lines[i - 1].seconds, lines[i].seconds) << "flatter and flatter";
    }
    for (int probe = 0; probe < 30; ++probe) {
      const double rate =
          probe == 0 ? 0 : std::exp(std::uniform_real_distribution<double>(-6, 8)(random));
      auto at = std::upper_bound(lines.begin(), lines.end(), rate,
                                 [](double r, const FrontierLine& line) { return r < line.from; });
      --at;
      const double exact = burst_by_definition(trace, rate);
      ASSERT_NEAR(at->units - rate * at->seconds, exact, 1e-6 * std::max(1.0, exact));
    }
  }
  EXPECT_TRUE(frontier({}).empty());
}

// min over r of b*(r) + r H is the least concave function above the envelope, at H.
TEST(Frontier, ItsChoiceForAHorizonIsTheHullOfTheEnvelope) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 400; ++round) {
    const Trace trace = random_trace(random, round % 2 == 0, 25);
    struct Point {
      double seconds, units;
    };
    std::vector<Point> points;
    for (std::size_t i = 0; i < trace.size(); ++i) {
      double units = 0;
      for (std::size_t j = i; j < trace.size(); ++j) {
        units += trace.cost(j);
        points.push_back({seconds(trace, i, j), units});
      }
    }
    const double horizon = std::exp(std::uniform_real_distribution<double>(-3, 5)(random));
    double hull = 0;
    for (const Point& a : points) {
      if (a.seconds <= horizon) hull = std::max(hull, a.units);
      for (const Point& b : points) {
        if (a.seconds > horizon || b.seconds <= horizon) continue;
        const double share = (horizon - a.seconds) / (b.seconds - a.seconds);
        hull = std::max(hull, a.units + share * (b.units - a.units));
      }
    }
    const HorizonChoice choice = choose_by_horizon(frontier(trace), horizon);
    ASSERT_NEAR(choice.most_units, hull, 1e-6 * hull);
    ASSERT_NEAR(choice.burst, burst_by_definition(trace, choice.rate), 1e-6 * hull);
  }
}

TEST(LeastBurst, IsTheFirstOfAllThatRejectsNoMore) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 1'000; ++round) {
    const Trace trace = random_trace(random, false);
    const double rate = std::exp(std::uniform_real_distribution<double>(-4, 3)(random));
    const std::uint64_t most = random() % 5;
    std::uint64_t first = 0;
    std::uint64_t before = trace.size();
    while (first > 0 ? rejected_by(trace, rate, static_cast<double>(first)).requests > most
                     : trace.size() > most) {
      ++first;
      const std::uint64_t now = rejected_by(trace, rate, static_cast<double>(first)).requests;
      ASSERT_LE(now, before) << "it never rises for costs of one";
      before = now;
    }
    ASSERT_EQ(least_burst(trace, rate, most), first);
  }
}

TEST(LeastBurst, OfWeightedCostsIsTriedAndTellsWhatItRejects) {
  // A larger burst may reject more: 4 admits the two small ones, 5 the large one in their place.
  const Trace odd{{4'200'000'000, 5'100'000'000, 6'100'000'000}, {5, 1, 1}};
  EXPECT_EQ(rejected_by(odd, 0.5, 4).requests, 1u);
  EXPECT_EQ(rejected_by(odd, 0.5, 5).requests, 2u);
  std::mt19937_64 random(6);
  for (int round = 0; round < 500; ++round) {
    const Trace trace = random_trace(random, true);
    const double rate = std::exp(std::uniform_real_distribution<double>(-3, 2)(random));
    const std::uint64_t most = random() % 20;
    const WeightedBurst found = least_weighted_burst(trace, rate, most);
    ASSERT_LE(found.rejected.cost, most);
    ASSERT_EQ(rejected_by(trace, rate, static_cast<double>(found.burst)).cost, found.rejected.cost);
    std::uint64_t largest = *std::max_element(trace.costs.begin(), trace.costs.end());
    for (std::uint64_t burst = largest; burst < found.burst; ++burst) {
      ASSERT_GT(rejected_by(trace, rate, static_cast<double>(burst)).cost, most);
    }
  }
}

TEST(Windows, AreWhatTheirDefinitionsSay) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1'000; ++round) {
    const Trace trace = random_trace(random, round % 2 == 0);
    const std::int64_t window = 1 + static_cast<std::int64_t>(random() % (5 * kSecond));
    std::uint64_t log = 0, aligned = 0, counter = 0;
    for (std::size_t j = 0; j < trace.size(); ++j) {
      std::uint64_t in_log = 0, now = 0, before = 0;
      for (std::size_t i = 0; i <= j; ++i) {
        if (trace.at_ns[i] > trace.at_ns[j] - window) in_log += trace.cost(i);
        const std::int64_t ago = trace.at_ns[j] / window - trace.at_ns[i] / window;
        if (ago == 0) now += trace.cost(i);
        if (ago == 1) before += trace.cost(i);
      }
      const long double left = static_cast<long double>(window - trace.at_ns[j] % window) /
                               static_cast<long double>(window);
      log = std::max(log, in_log);
      aligned = std::max(aligned, now);
      counter = std::max(counter, now + static_cast<std::uint64_t>(std::floor(
                                            static_cast<long double>(before) * left + 1e-15L)));
    }
    ASSERT_EQ(envelope(trace, window), log);
    ASSERT_EQ(aligned_window(trace, window), aligned);
    ASSERT_EQ(sliding_counter(trace, window), counter);
  }
  // A request leaves the log in the instant in which the window has passed.
  EXPECT_EQ(envelope({{0, kSecond}, {}}, kSecond), 1u);
  EXPECT_EQ(envelope({{0, kSecond}, {}}, kSecond + 1), 2u);
}

TEST(Windows, ConcurrencyIsTheMostUnderWayAtAnyStart) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::int64_t> starts, ends;
    for (std::size_t i = random() % 30; i-- > 0;) {
      starts.push_back(static_cast<std::int64_t>(random() % 50));
      ends.push_back(starts.back() + static_cast<std::int64_t>(random() % 20));
    }
    std::uint64_t most = 0;
    for (std::int64_t t = 0; t < 80; ++t) {
      std::uint64_t now = 0;
      for (std::size_t i = 0; i < starts.size(); ++i) now += starts[i] <= t && t < ends[i] ? 1 : 0;
      most = std::max(most, now);
    }
    ASSERT_EQ(concurrency(starts, ends), most);
  }
}

TEST(Quantile, PlacesAndBoundsAreThoseOfTheTables) {
  EXPECT_EQ(fewest_for_bound(0.9), 29u);
  EXPECT_EQ(fewest_for_bound(0.99), 299u);
  EXPECT_EQ(fewest_for_bound(0.999), 2995u);
  EXPECT_EQ(quantile_place(1753, 0.99), 1736u);
  EXPECT_EQ(bound_place(1753, 0.99), 1743u);
  EXPECT_EQ(quantile_place(1000, 0.99), 990u);
  EXPECT_EQ(bound_place(1000, 0.99), 996u);
  EXPECT_FALSE(bound_place(298, 0.99));
  EXPECT_EQ(bound_place(299, 0.99), 299u);
  EXPECT_FALSE(bound_place(0, 0.99));
  EXPECT_EQ(quantile_place(1, 0.5), 1u);
}

TEST(Quantile, ABoundHoldsAsOftenAsItSays) {
  std::mt19937_64 random(9);
  std::exponential_distribution<double> draw(1);
  const double truth = -std::log(0.1);  // the 0.9-quantile
  int held = 0;
  for (int round = 0; round < 2'000; ++round) {
    std::vector<double> values(100);
    for (double& value : values) value = draw(random);
    std::sort(values.begin(), values.end());
    held += values[*bound_place(100, 0.9) - 1] >= truth ? 1 : 0;
  }
  EXPECT_GE(held, 1'880);  // 95 % of 2,000, less two standard deviations
}

TEST(NiceNumber, IsTheNextOfTheUsualSteps) {
  for (const auto& [value, nice] : std::vector<std::pair<double, double>>{{0, 0},
                                                                          {-1, 0},
                                                                          {1, 1},
                                                                          {1.01, 2},
                                                                          {2.5, 3},
                                                                          {4, 5},
                                                                          {5.5, 6},
                                                                          {6.1, 10},
                                                                          {99, 100},
                                                                          {0.07, 0.1},
                                                                          {0.3, 0.3},
                                                                          {1000, 1000},
                                                                          {1001, 2000}}) {
    EXPECT_NEAR(nice_number(value), nice, 1e-9 * nice) << value;
  }
}

}  // namespace
}  // namespace weir::design
