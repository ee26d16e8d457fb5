// Groups of values against every way to cut them; what all keys may do against a count by hand.
#include "design/fit/breaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "design/fit/capacity.h"

namespace weir::design {
namespace {

double within(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double mean = 0;
  for (std::size_t i = from; i < to; ++i) mean += values[i] / static_cast<double>(to - from);
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += (values[i] - mean) * (values[i] - mean);
  return sum;
}

TEST(NaturalBreaks, AreTheBestOfAllWaysToCut) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values(3 + random() % 12);
    for (double& value : values) value = static_cast<double>(random() % 20);
    std::sort(values.begin(), values.end());
    const auto breaks = natural_breaks(values, 3);
    const std::set<double> distinct(values.begin(), values.end());
    ASSERT_EQ(breaks.size() + 1, std::min<std::size_t>(3, distinct.size()));
    if (breaks.size() < 2) continue;
    double best = 1e300;
    for (std::size_t a = 1; a < values.size(); ++a) {
      for (std::size_t b = a + 1; b < values.size(); ++b) {
        best = std::min(
            best, within(values, 0, a) + within(values, a, b) + within(values, b, values.size()));
      }
    }
    ASSERT_NEAR(within(values, 0, breaks[0]) + within(values, breaks[0], breaks[1]) +
                    within(values, breaks[1], values.size()),
                best, 1e-9);
  }
  EXPECT_TRUE(natural_breaks({}, 3).empty());
  const std::vector<double> same(10, 1.0);
  EXPECT_TRUE(natural_breaks(same, 3).empty());
  EXPECT_EQ(explained(same, {}), 1);
}

TEST(TierBreaks, AreWhereAGapIsAndNowhereElse) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> around(0, 0.03);
  std::vector<double> plans;
  for (int i = 0; i < 3'000; ++i) plans.push_back((i % 10 == 0 ? 2.0 : 0.5) + around(random));
  std::sort(plans.begin(), plans.end());
  const auto two = tier_breaks(plans);
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two[0], 2'700u);
  std::vector<double> even;
  for (int i = 0; i < 500; ++i) even.push_back(i / 250.0);
  EXPECT_TRUE(tier_breaks(even).empty()) << "spread evenly: there are no tiers in it";
}

TEST(ClassCosts, AreRoundAndBesideTheMiddle) {
  const std::vector<double> medians{20, 20, 2, 230, 3'000'000};
  EXPECT_EQ(class_costs(medians), (std::vector<std::uint32_t>{1, 1, 1, 10, 100}));
  EXPECT_TRUE(class_costs({}).empty());
}

TEST(Capacity, CountsTheKeysOfAnyWindow) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<Trace> keys(1 + random() % 6);
    for (Trace& key : keys) {
      for (std::size_t i = random() % 6; i-- > 0;) {
        key.at_ns.push_back(static_cast<std::int64_t>(random() % 40));
      }
      std::sort(key.at_ns.begin(), key.at_ns.end());
    }
    const auto horizon = static_cast<std::int64_t>(1 + random() % 20);
    std::uint64_t most = 0;
    double seen = 0;
    for (std::int64_t end = 0; end < 40; ++end) {
      std::uint64_t active = 0, units = 0;
      for (const Trace& key : keys) {
        const auto inside = static_cast<std::uint64_t>(
            std::count_if(key.at_ns.begin(), key.at_ns.end(),
                          [&](std::int64_t at) { return at <= end && at > end - horizon; }));
        active += inside > 0 ? 1 : 0;
        units += inside;
      }
      most = std::max(most, active);
      seen = std::max(seen, static_cast<double>(units) / (static_cast<double>(horizon) / 1e9));
    }
    const Capacity c = capacity_under(keys, 2, 5, horizon, 10);
    ASSERT_EQ(c.most_active, most);
    ASSERT_NEAR(c.worst_seen, seen, 1e-6 * (seen + 1));
    const double seconds = static_cast<double>(horizon) / 1e9;
    const double worst = static_cast<double>(most) * (5 + 2 * seconds) / seconds;
    ASSERT_NEAR(c.worst_units_a_second, worst, 1e-6 * (worst + 1));
    ASSERT_NEAR(c.oversubscription, worst / 10, 1e-6 * (worst + 1));
  }
}

}  // namespace
}  // namespace weir::design
