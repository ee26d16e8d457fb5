// The script in a real Redis against the memory store: same verdicts, same outcomes, same states.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "redis/testing/differential.h"

namespace weir::redis::testing {
namespace {

using store::testing::bucket;
using store::testing::kAlgorithms;
using store::testing::leaky;
using store::testing::Seen;
using store::testing::window;

constexpr std::uint64_t kStartUs = 1'795'996'800'000'000;  // 2026-11-30T00:00:00Z

struct Scene {
  const char* name;
  int keys;  // a slot
  int batches;
  int most_requests;  // of a batch
  std::uint64_t seed;
};

void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

// Where a counter is read under several numbers, each lets it owe what any of them allows.
void let_owe_alike(std::vector<algo::Numbers>& tiers) {
  Duration longest;
  for (const algo::Numbers& n : tiers) longest = std::max(longest, algo::time_to_full(n));
  for (algo::Numbers& n : tiers) algo::let_owe(n, longest);
}

class Differential : public ::testing::TestWithParam<Scene> {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Several sets of numbers for each slot: tiers and reloads.
  void make_numbers() {
    for (const std::uint64_t ms : {3u, 50u, 1'000u, 7'000u}) {
      for (const Algorithm a : kAlgorithms) {
        std::vector<algo::Numbers> tiers;
        for (const std::uint64_t count : {2u, 5u, 7u, 20u}) tiers.push_back(numbers(a, count, ms));
        const bool fills = a == Algorithm::token_bucket || a == Algorithm::leaky_bucket;
        if (fills && ms != 1'000) let_owe_alike(tiers);
        numbers_.push_back(tiers);
      }
    }
  }
  algo::Numbers numbers(Algorithm a, std::uint64_t count, std::uint64_t ms) {
    const Duration period = milliseconds(ms);
    if (a == Algorithm::token_bucket) return bucket(count, period, count + below(9));
    if (a != Algorithm::leaky_bucket) {
      return window(a, count, period, ms == 50 || ms == 7'000 ? Align::first : Align::epoch);
    }
    algo::Numbers n = leaky(count, period, below(9));
    if (below(2) == 0) n.max_wait_ns = below(period.ns);
    return n;
  }

  std::uint64_t random_cost(const algo::Numbers& n) {
    switch (below(12)) {
      case 0:
        return 0;
      case 1:
        return n.burst;
      case 2:
        return n.burst + below(3);
      case 3:
        return below(40);
      case 4:
        return below(3) == 0 ? ~std::uint64_t{0} - below(2) : kMaxCount + below(2);
      default:
        return 1 + below(3);
    }
  }

  store::Charge random_charge() {
    const auto slot = static_cast<store::Slot>(below(numbers_.size()));
    // One tier for a key, most of the time. Rarely another: a change of plan.
    const std::uint64_t key = below(static_cast<std::uint64_t>(GetParam().keys));
    const std::uint64_t tier = below(20) == 0 ? below(4) : key % 4;
    const algo::Numbers& n = numbers_[slot][tier];
    store::Charge c = twins_.charge(slot, std::to_string(key), n, random_cost(n));
    c.shadow = below(5) == 0;
    if (below(6) == 0) c.max_delay = Duration{below(2'000'000)};
    if (below(12) == 0) c.max_delay = {};
    return c;
  }

  std::vector<store::Charge> random_charges() {
    std::vector<store::Charge> charges;
    const std::uint64_t n = below(12) == 0 ? below(store::kMaxCharges + 1) : 1 + below(3);
    while (charges.size() < n) {
      // Now and then the same counter again, with the same numbers as a request has for one limit.
      const bool again = !charges.empty() && below(4) == 0;
      store::Charge c = again ? charges[below(charges.size())] : random_charge();
      if (again) {
        c.cost = below(4);
        c.shadow = below(4) == 0;
      }
      for (const store::Charge& other : charges) {
        if (other.slot != c.slot || other.key != c.key) continue;
        c.numbers = other.numbers;
        c.max_delay = other.max_delay;
      }
      charges.push_back(c);
    }
    return charges;
  }

  std::vector<TestRequest> random_batch() {
    std::vector<TestRequest> batch(1 + below(static_cast<std::uint64_t>(GetParam().most_requests)));
    for (TestRequest& r : batch) {
      r.charges = random_charges();
      r.peek = below(8) == 0;
      r.refund = below(12) == 0;
    }
    return batch;
  }

  // Most steps are short or none; some go to an instant that an answer has named, or beside it.
  void move_on(const std::vector<Seen>& seen) {
    if (below(3) == 0) return;
    std::uint64_t by = below(below(10) == 0 ? 60'000 : 700);
    if (below(3) == 0 && !seen.empty() && !seen.back().outcomes.empty()) {
      const Outcome& o = seen.back().outcomes[below(seen.back().outcomes.size())];
      const Duration named = below(2) == 0 ? o.wait : o.reset;
      if (named < seconds(10)) by = named.ns / 1'000 + below(3);
      if (by > 0) by -= below(2);
    }
    now_us_ += by;
  }

  Twins twins_;
  std::mt19937_64 random_{GetParam().seed};
  std::vector<std::vector<algo::Numbers>> numbers_;
  std::uint64_t now_us_ = kStartUs;
};

TEST_P(Differential, AgreesWithTheMemoryStore) {
  const Scene& scene = GetParam();
  make_numbers();
  int denied = 0;
  int admitted = 0;
  std::vector<Seen> seen;
  for (int i = 0; i < scene.batches; ++i) {
    SCOPED_TRACE("batch " + std::to_string(i));
    move_on(seen);
    seen = twins_.decide(random_batch(), now_us_);
    for (const Seen& s : seen) (s.admit ? admitted : denied) += 1;
    if (HasFailure()) return;
  }
  // The scene must have shown what it is for.
  EXPECT_GT(denied, scene.batches / 10);
  EXPECT_GT(admitted, scene.batches / 10);
  EXPECT_GT(twins_.ttls_checked(), static_cast<std::uint64_t>(scene.batches) / 2);
}

// Slow and fast in turn: entries leave at one end while the ring goes round, and it grows while it
// has gone round.
TEST(RedisLog, AgreesWhileItsRingGoesRoundAndGrows) {
  Twins twins;
  std::mt19937_64 random(23);
  const algo::Numbers numbers = window(Algorithm::sliding_log, 90, seconds(1));
  std::uint64_t now_us = kStartUs;
  int denied = 0;
  for (int i = 0; i < 3'000; ++i) {
    const bool fast = i / 40 % 3 == 2;
    now_us += fast ? 1'000 + random() % 3'000 : 20'000 + random() % 90'000;
    std::vector<TestRequest> requests(1 + random() % 2);
    for (TestRequest& r : requests) {
      r.charges = {twins.charge(1, "k", numbers, random() % 4)};
      if (random() % 16 == 0) r.charges[0].cost = 85 + random() % 8;
      r.peek = random() % 10 == 0;
      r.refund = random() % 20 == 0;
    }
    for (const Seen& s : twins.decide(requests, now_us)) denied += s.admit ? 0 : 1;
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(denied, 50);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Differential,
                         ::testing::Values(Scene{"OneByOne", 4, 6'000, 1, 20'261'130},
                                           Scene{"FewKeys", 1, 4'000, 4, 7},
                                           Scene{"Roomy", 60, 1'500, 16, 11},
                                           Scene{"Full", 12, 500, 64, 13}),
                         [](const auto& scene) { return std::string(scene.param.name); });

}  // namespace
}  // namespace weir::redis::testing
