// The trial of a limit says what its counter says, request for request.
#include "design/fit/trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "algo/testing/counter.h"

namespace weir::design {
namespace {

namespace at = algo::testing;

Trace random_trace(std::mt19937_64& random, bool weighted) {
  Trace trace;
  std::int64_t now = 1'700'000'000'000'000'000;
  for (std::size_t i = random() % 200; i-- > 0;) {
    // Among them many at one instant, and some at the edges of windows.
    now += random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 40) * 50'000'000;
    trace.at_ns.push_back(now);
    if (weighted) trace.costs.push_back(static_cast<std::uint32_t>(1 + random() % 7));
  }
  return trace;
}

Trial one_by_one(const std::vector<Trace>& keys, const algo::Numbers& numbers) {
  Trial sum;
  for (const Trace& key : keys) {
    at::Counter counter(numbers);
    bool hurt = false;
    for (std::size_t i = 0; i < key.size(); ++i) {
      const Now now{{static_cast<std::uint64_t>(key.at_ns[i])}, 0};
      const Outcome outcome = counter.charge(key.cost(i), now);
      ++sum.requests;
      sum.longest_delay = std::max(sum.longest_delay, outcome.delay);
      if (outcome.admit) continue;
      ++sum.rejected;
      sum.rejected_cost += key.cost(i);
      hurt = true;
    }
    sum.keys += key.size() > 0 ? 1 : 0;
    sum.hurt_keys += hurt ? 1 : 0;
  }
  return sum;
}

TEST(Trial, SaysWhatACounterSays) {
  const std::vector<algo::Numbers> all{
      at::token_bucket(2, seconds(1), 9), at::token_bucket(7, seconds(3), 8),
      at::leaky_bucket(2, seconds(1), 8), at::leaky_bucket(2, seconds(1), 20, seconds(3)),
      at::fixed_window(9, seconds(4)),    at::fixed_window(9, seconds(4), Align::first),
      at::sliding_window(9, seconds(4)),  at::sliding_log(9, seconds(4)),
  };
  std::mt19937_64 random(1);
  std::uint64_t rejected = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<Trace> keys;
    for (int k = 0; k < 8; ++k) keys.push_back(random_trace(random, round % 2 == 1));
    for (const algo::Numbers& numbers : all) {
      const Trial trial = try_limit(keys, numbers);
      const Trial model = one_by_one(keys, numbers);
      EXPECT_EQ(trial.requests, model.requests);
      EXPECT_EQ(trial.rejected, model.rejected);
      EXPECT_EQ(trial.rejected_cost, model.rejected_cost);
      EXPECT_EQ(trial.keys, model.keys);
      EXPECT_EQ(trial.hurt_keys, model.hurt_keys);
      EXPECT_EQ(trial.longest_delay, model.longest_delay);
      rejected += trial.rejected;
    }
  }
  EXPECT_GT(rejected, 1'000u);
}

TEST(Trial, OfNothing) {
  EXPECT_EQ(try_limit({}, at::token_bucket(1, seconds(1), 1)).keys, 0u);
  const std::vector<Trace> silent(3);
  const Trial trial = try_limit(silent, at::token_bucket(1, seconds(1), 1));
  EXPECT_EQ(trial.keys, 0u);
  EXPECT_EQ(trial.hurt_share(), 0);
}

}  // namespace
}  // namespace weir::design
