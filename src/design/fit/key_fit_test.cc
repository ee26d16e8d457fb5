// A limit for all keys: what it promises of the log holds of the log.
#include "design/fit/key_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "design/fit/burst.h"
#include "design/fit/quantile.h"

namespace weir::design {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Keys that send bursts of a few requests, some much more than others.
std::vector<Trace> random_keys(std::uint64_t seed, std::size_t n, std::int64_t hours = 6) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(1);
  std::vector<Trace> keys(n);
  for (Trace& key : keys) {
    const double pause = 20 + 600 * gap(random);
    double at = pause * gap(random);
    while (at < static_cast<double>(hours) * 3'600) {
      for (std::uint64_t i = 1 + random() % 8; i-- > 0; at += gap(random) / 4) {
        key.at_ns.push_back(static_cast<std::int64_t>(at * 1e9));
      }
      at += pause * gap(random);
    }
  }
  return keys;
}

TEST(KeyFit, HurtsNoMoreKeysThanItsQuantile) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto keys = random_keys(seed, 400);
    for (const double quantile : {0.9, 0.99}) {
      const KeyFit fit = fit_keys(keys, {.quantile = quantile, .headroom = 1});
      EXPECT_TRUE(fit.bounded);
      EXPECT_LE(static_cast<double>(fit.in_sample.hurt_keys),
                (1 - quantile) * static_cast<double>(fit.in_sample.keys));
      EXPECT_GE(fit.rate.units_a_second(), fit.needed_rate);
      const Effect again = effect(keys, fit.rate.units_a_second(), static_cast<double>(fit.burst));
      EXPECT_EQ(again.rejected, fit.in_sample.rejected);
    }
  }
}

TEST(KeyFit, WithTooFewKeysTheMostDemandingOneStands) {
  const auto keys = random_keys(3, 50);
  const KeyFit fit = fit_keys(keys, {.headroom = 1});
  EXPECT_FALSE(fit.bounded);
  EXPECT_EQ(fit.in_sample.rejected, 0u);
}

// At its rate, b + r H of the quantile is the least of all rates that were tried.
TEST(KeyFit, ChoosesTheRateThatLetsAClientDoTheLeastWithinTheHorizon) {
  const auto keys = random_keys(4, 300);
  for (const double horizon : {10.0, 60.0, 3'600.0}) {
    const KeyFit fit = fit_keys(keys, {.quantile = 0.9, .horizon_s = horizon});
    const auto most = [&](double rate) {
      std::vector<double> bursts;
      for (const Trace& key : keys) bursts.push_back(minimal_burst(key, rate).burst);
      std::sort(bursts.begin(), bursts.end());
      return bursts[*bound_place(bursts.size(), 0.9) - 1] + rate * horizon;
    };
    const double chosen = most(fit.needed_rate);
    EXPECT_NEAR(fit.needed_burst + fit.needed_rate * horizon, chosen, 1e-6 * chosen);
    for (double rate = 1e-4; rate < 20; rate *= 1.3) {
      EXPECT_LE(chosen, most(rate) * 1.25) << "within the step of the grid";
    }
  }
}

TEST(KeyFit, SaysWhetherItHoldsInTimeToCome) {
  auto keys = random_keys(5, 300);
  EXPECT_TRUE(fit_keys(keys, {}).holds);
  // In the last third all send in one instant what they sent in minutes.
  for (Trace& key : keys) {
    for (std::int64_t& at : key.at_ns) {
      if (at > 5 * 3'600 * kSecond) at = 5 * 3'600 * kSecond;
    }
  }
  const KeyFit fit = fit_keys(keys, {});
  EXPECT_FALSE(fit.holds);
  EXPECT_GT(fit.out_of_sample.rejected, 0u);
}

TEST(KeyFit, HeadroomMakesItLarger) {
  const auto keys = random_keys(6, 300);
  const KeyFit plain = fit_keys(keys, {.headroom = 1});
  const KeyFit roomy = fit_keys(keys, {.headroom = 2});
  EXPECT_GE(roomy.rate.units_a_second(), plain.rate.units_a_second());
  EXPECT_LE(roomy.in_sample.rejected, plain.in_sample.rejected);
}

TEST(KeyFit, OfNothingIsNothing) {
  EXPECT_EQ(fit_keys({}, {}).rate.count, 0u);
  const std::vector<Trace> silent(5);
  EXPECT_EQ(fit_keys(silent, {}).burst, 0u);
  // One request alone.
  const std::vector<Trace> one{{{kSecond}, {}}};
  const KeyFit fit = fit_keys(one, {});
  EXPECT_GE(fit.burst, 1u);
  EXPECT_EQ(fit.in_sample.rejected, 0u);
}

TEST(NiceRate, IsNotBelowAndInWordsOfPeople) {
  const auto text = [](double rate) {
    const NiceRate nice = nice_rate(rate);
    return std::to_string(nice.count) + "/" + std::to_string(nice.per_s);
  };
  EXPECT_EQ(text(1), "1/1");
  EXPECT_EQ(text(0.95), "1/1");
  EXPECT_EQ(text(0.5), "30/60");
  EXPECT_EQ(text(4.2), "5/1");
  EXPECT_EQ(text(0.01), "50/3600") << "1 a minute is more than a tenth beyond";
  EXPECT_EQ(text(0.000'1), "1/3600");
  EXPECT_EQ(text(0), "0/1");
  for (double rate = 1e-3; rate < 1e6; rate *= 1.07) {
    EXPECT_GE(nice_rate(rate).units_a_second(), rate * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace weir::design
