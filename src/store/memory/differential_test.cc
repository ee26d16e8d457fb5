// The memory store against a map and copies, on random requests: same verdicts, same counters.
#include <gtest/gtest.h>

#include <random>

#include "store/memory/memory_store.h"
#include "store/testing/lab.h"
#include "store/testing/model_store.h"

namespace weir::store::testing {
namespace {

struct Scene {
  const char* name;
  std::uint64_t max_keys;
  std::size_t places;  // the model's; 0: never full
  bool deny;
  int keys;
  int requests;
};

void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

class Differential : public ::testing::TestWithParam<Scene> {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Several sets of numbers for each slot: tiers and reloads.
  void make_numbers() {
    for (const std::uint64_t ms : {3u, 50u, 1'000u}) {
      for (const Algorithm a : kAlgorithms) {
        std::vector<algo::Numbers> tiers;
        for (const std::uint64_t count : {2u, 5u, 20u}) {
          const Duration period = milliseconds(ms);
          tiers.push_back(a == Algorithm::token_bucket ? bucket(count, period, count + below(9))
                          : a == Algorithm::leaky_bucket
                              ? leaky(count, period, below(9))
                              : window(a, count, period, ms == 50 ? Align::first : Align::epoch));
        }
        numbers_.push_back(tiers);
      }
    }
  }

  Charge random_charge(const Lab& l) {
    const auto slot = static_cast<Slot>(below(numbers_.size()));
    // One tier for a key, most of the time: what a tier means. Rarely another: a change of plan.
    const std::uint64_t key = below(static_cast<std::uint64_t>(GetParam().keys));
    const std::uint64_t tier = below(20) == 0 ? below(3) : key % 3;
    Charge c =
        l.on(slot, std::to_string(key), numbers_[slot][tier], below(8) == 0 ? below(40) : below(4));
    c.shadow = below(5) == 0;
    if (below(6) == 0) c.max_delay = Duration{below(2'000'000)};
    return c;
  }

  std::vector<Charge> random_request(const Lab& l) {
    std::vector<Charge> charges;
    const std::uint64_t n = below(4) == 0 ? below(kMaxCharges + 1) : 1 + below(3);
    while (charges.size() < n) {
      // Now and then the same counter again, with the same numbers as a request has for one limit.
      const bool again = !charges.empty() && below(4) == 0;
      Charge c = again ? charges[below(charges.size())] : random_charge(l);
      if (again) c.cost = below(4);
      for (const Charge& other : charges) {
        if (other.slot == c.slot && (other.key == c.key || GetParam().places != 0)) {
          c.numbers = other.numbers;
        }
        if (other.slot == c.slot && other.key == c.key) c.max_delay = other.max_delay;
      }
      charges.push_back(c);
    }
    return charges;
  }

  std::mt19937_64 random_{20'261'130};
  std::vector<std::vector<algo::Numbers>> numbers_;
};

std::string describe(const Charge& c) {
  return std::string(name(c.numbers->algorithm)) + " slot " + std::to_string(c.slot) + " key " +
         std::to_string(c.key.lo % 10'000) + " count " + std::to_string(c.numbers->count) +
         " burst " + std::to_string(c.numbers->burst) + " cost " + std::to_string(c.cost) +
         (c.shadow ? " shadow" : "") + " delay " + std::to_string(c.max_delay.ns);
}

void expect_same(const Outcome& got, const Outcome& want) {
  EXPECT_EQ(got.admit, want.admit);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.overflow, want.overflow);
  EXPECT_EQ(got.limit, want.limit);
  EXPECT_EQ(got.remaining, want.remaining);
  EXPECT_EQ(got.wait.ns, want.wait.ns);
  EXPECT_EQ(got.reset.ns, want.reset.ns);
  EXPECT_EQ(got.delay.ns, want.delay.ns);
  EXPECT_LE(got.remaining, got.limit);
}

TEST_P(Differential, AgreesWithTheModel) {
  const Scene& scene = GetParam();
  make_numbers();
  auto opened = MemoryStore::open({.max_keys = scene.max_keys,
                                   .on_full = scene.deny ? OnFull::deny : OnFull::shared,
                                   .secret = base::HashSecret{3, 4}});
  ASSERT_TRUE(opened);
  Lab l(std::move(*opened));
  ModelStore model(scene.places, scene.deny);
  Now now = l.now();
  int denied = 0;
  int overflowed = 0;
  for (int i = 0; i < scene.requests; ++i) {
    SCOPED_TRACE("request " + std::to_string(i));
    if (below(2) == 0)
      now.steady = now.steady + Duration{below(below(10) == 0 ? 30'000'000 : 400'000)};
    if (below(200) == 0)
      now.wall_offset_ns += static_cast<std::int64_t>(below(2'000'000)) - 1'000'000;
    Now used = now;
    if (below(10) == 0) used.steady = now.steady - Duration{below(5'000'000)};  // a stale caller
    const std::vector<Charge> charges = random_request(l);
    const bool peek = below(8) == 0;
    const Seen got = l.decide(charges, peek, used);
    const Seen want = model.decide(charges, peek, used);
    ASSERT_EQ(got.admit, want.admit);
    ASSERT_EQ(got.now.steady, want.now.steady);
    ASSERT_EQ(got.outcomes.size(), want.outcomes.size());
    for (std::size_t j = 0; j < got.outcomes.size(); ++j) {
      SCOPED_TRACE("charge " + std::to_string(j) + ": " + describe(charges[j]));
      expect_same(got.outcomes[j], want.outcomes[j]);
      overflowed += got.outcomes[j].overflow ? 1 : 0;
    }
    denied += got.admit ? 0 : 1;
    if (below(10) == 0 && !charges.empty()) {
      l.store().refund({charges.data(), 1}, used);
      model.refund(charges[0], used);
    }
    if (below(300) == 0 && !charges.empty()) {
      EXPECT_EQ(l.store().reset(charges[0].slot, charges[0].key),
                model.reset(charges[0].slot, charges[0].key));
    }
    if (HasFailure()) {
      for (const Charge& c : charges) ADD_FAILURE() << describe(c);
      return;
    }
  }
  // The scene must have shown what it is for.
  EXPECT_GT(denied, scene.requests / 50);
  EXPECT_LT(denied, scene.requests);
  EXPECT_EQ(overflowed > 0, scene.places != 0 && !scene.deny);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Differential,
                         ::testing::Values(Scene{"Roomy", 100'000, 0, false, 60, 15'000},
                                           Scene{"FewKeys", 100'000, 0, false, 3, 30'000},
                                           Scene{"ThreePlacesShared", 3, 3, false, 8, 20'000},
                                           Scene{"TwentyPlacesShared", 20, 20, false, 40, 20'000},
                                           Scene{"TwentyPlacesDeny", 20, 20, true, 40, 20'000}),
                         [](const auto& scene) { return std::string(scene.param.name); });

}  // namespace
}  // namespace weir::store::testing
