// A guard around a store says what the store would say: on random timelines in which this process
// is the only one, of every algorithm, with refunds, resets, other costs and limits beside.
#include <gtest/gtest.h>

#include <random>

#include "guard/testing/timed_guard.h"
#include "store/memory/memory_store.h"
#include "store/testing/lab.h"
#include "store/testing/model_store.h"

namespace weir::guard {
namespace {

using store::Charge;
using store::Slot;
using store::testing::bucket;
using store::testing::kAlgorithms;
using store::testing::Lab;
using store::testing::leaky;
using store::testing::ModelStore;
using store::testing::Seen;
using store::testing::window;
using testing::TimedGuard;

class DeniedDifferential : public ::testing::Test {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Two tiers for each slot, that know of each other as the engine's do.
  void make_numbers() {
    for (const std::uint64_t ms : {30u, 500u, 20'000u}) {
      for (const Algorithm a : kAlgorithms) {
        std::vector<algo::Numbers> tiers;
        for (const std::uint64_t count : {3u, 7u}) {
          const Duration period = milliseconds(ms);
          tiers.push_back(
              a == Algorithm::token_bucket ? bucket(count, period, count + below(5))
              : a == Algorithm::leaky_bucket
                  ? leaky(count, period, below(6))
                  : window(a, count, period, below(2) == 0 ? Align::first : Align::epoch));
        }
        tiers[1].align = tiers[0].align;
        if (a == Algorithm::token_bucket || a == Algorithm::leaky_bucket) {
          const Duration most =
              std::max(algo::time_to_full(tiers[0]), algo::time_to_full(tiers[1]));
          for (algo::Numbers& n : tiers) algo::let_owe(n, most);
        }
        numbers_.push_back(tiers);
      }
    }
  }

  Charge random_charge(const Lab& lab) {
    const auto slot = static_cast<Slot>(below(numbers_.size()));
    const std::uint64_t key = below(3);
    const std::uint64_t tier = below(12) == 0 ? below(2) : key % 2;
    const std::uint64_t cost = below(6) == 0 ? below(9) : 1;
    Charge c = lab.on(slot, std::to_string(key), numbers_[slot][tier], cost);
    c.shadow = below(8) == 0;
    c.max_delay = below(2) == 0 ? Duration{} : milliseconds(below(200));
    return c;
  }

  std::mt19937_64 random_{7};
  std::vector<std::vector<algo::Numbers>> numbers_;
};

void expect_same(const Outcome& got, const Outcome& want) {
  EXPECT_EQ(got.admit, want.admit);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.limit, want.limit);
  EXPECT_EQ(got.remaining, want.remaining);
  EXPECT_GE(got.wait.ns, want.wait.ns);
  EXPECT_LT(got.wait.ns - want.wait.ns, 1'000u);
  EXPECT_EQ(got.reset.ns, want.reset.ns);
  EXPECT_EQ(got.delay.ns, want.delay.ns);
}

TEST_F(DeniedDifferential, SaysWhatTheStoreWouldSay) {
  make_numbers();
  auto memory = store::MemoryStore::open({.secret = base::HashSecret{3, 4}});
  ASSERT_TRUE(memory);
  auto guarded = std::make_unique<TimedGuard>(std::move(*memory), GuardOptions{});
  TimedGuard& guard = *guarded;
  Lab lab(std::move(guarded));
  ModelStore model;
  Now now = lab.now();
  int denied = 0;
  for (int i = 0; i < 60'000; ++i) {
    SCOPED_TRACE("request " + std::to_string(i));
    if (below(2) == 0) now.steady = now.steady + microseconds(below(below(8) == 0 ? 30'000 : 400));
    std::vector<Charge> charges{random_charge(lab)};
    const bool several = below(5) == 0;
    while (several && charges.size() < 3) charges.push_back(random_charge(lab));
    const bool peek = below(12) == 0;
    const Seen got = lab.decide(charges, peek, now);
    const Seen want = model.decide(charges, peek, now);
    denied += got.admit ? 0 : 1;
    ASSERT_EQ(got.admit, want.admit);
    ASSERT_EQ(got.now.steady, want.now.steady);
    ASSERT_EQ(got.outcomes.size(), want.outcomes.size());
    for (std::size_t j = 0; j < charges.size(); ++j) {
      // The limits beside one that denies are as the store has found them last.
      if (!several || (!want[j].admit && !charges[j].shadow && !got[j].admit)) {
        SCOPED_TRACE(std::string(name(charges[j].numbers->algorithm)) + " cost " +
                     std::to_string(charges[j].cost) + " of " + std::to_string(j));
        expect_same(got[j], want[j]);
      }
    }
    if (below(12) == 0) {
      lab.store().refund({charges.data(), 1}, now);
      model.refund(charges[0], now);
    }
    if (below(200) == 0) {
      EXPECT_EQ(lab.store().reset(charges[0].slot, charges[0].key),
                model.reset(charges[0].slot, charges[0].key));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(denied, 10'000);
  const Counts counts = guard.guard().counts();
  EXPECT_GT(counts.denied_again, 3'000u) << "of " << denied;
  EXPECT_LT(guard.beneath().calls, 60'000u - counts.denied_again + 1);
}

}  // namespace
}  // namespace weir::guard
