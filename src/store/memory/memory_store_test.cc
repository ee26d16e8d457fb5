// The memory store against the common suite, and what is particular to it: bounds, cleaning, cost.
#include "store/memory/memory_store.h"

#include <gtest/gtest.h>

#include "store/testing/conformance.h"
#include "store/testing/lab.h"

namespace weir::store::testing {
namespace {

std::unique_ptr<Store> open(MemoryOptions options) {
  auto store = MemoryStore::open(options);
  if (!store) {
    ADD_FAILURE() << store.error().text();
    return nullptr;
  }
  return std::move(*store);
}

std::unique_ptr<Store> with_shards(const StoreSpec& spec, std::size_t shards) {
  return open({.max_keys = spec.max_keys,
               .on_full = spec.deny_when_full ? OnFull::deny : OnFull::shared,
               .shards = shards,
               .secret = base::HashSecret{1, 2}});
}

INSTANTIATE_TEST_SUITE_P(
    Memory, StoreConformance,
    ::testing::Values(
        StoreFactory{"SixtyFourShards", [](const StoreSpec& s) { return with_shards(s, 64); }},
        StoreFactory{"OneShard", [](const StoreSpec& s) { return with_shards(s, 1); }}),
    name_of);

TEST(MemoryStore, RefusesASizeItCannotHold) {
  for (const std::uint64_t max_keys : {std::uint64_t{0}, MemoryOptions::kMostKeys + 1}) {
    const auto store = MemoryStore::open({.max_keys = max_keys});
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, ErrorCode::out_of_range);
    EXPECT_EQ(store.error().where, "max_keys");
  }
  EXPECT_FALSE(MemoryStore::open({.shards = 3}));
  EXPECT_FALSE(MemoryStore::open({.shards = 128}));
  EXPECT_FALSE(MemoryStore::open({.shards = 0}));
}

TEST(MemoryStore, HoldsOneKeyIfThatIsAllItMay) {
  Lab l(open({.max_keys = 1}));
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 2);
  EXPECT_FALSE(l.charge({l.on(1, "a", numbers)})[0].overflow);
  EXPECT_TRUE(l.charge({l.on(1, "b", numbers)})[0].overflow);
  EXPECT_FALSE(l.charge({l.on(1, "a", numbers)})[0].overflow);
  EXPECT_EQ(l.store().stats().capacity, 1u);
}

// The index grows with the keys; whatever its size, each is found where it was filed.
TEST(MemoryStore, FindsEveryKeyAsItsIndexGrows) {
  constexpr std::uint64_t kKeys = 700;
  Lab l(open({.max_keys = 1'000, .shards = 1}));
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, kKeys);
  for (std::uint64_t n = 1; n <= kKeys; ++n) {
    for (std::uint64_t key = 1; key <= n; ++key) {
      const Outcome o = l.charge({l.on(1, "k" + std::to_string(key), numbers)})[0];
      ASSERT_EQ(o.remaining, kKeys - (n - key + 1)) << "key " << key << " of " << n;
    }
  }
  EXPECT_EQ(l.store().stats().keys, kKeys);
}

// Random keys up to max_keys all find a place of their own, over all shards.
TEST(MemoryStore, HasAPlaceForEveryOneOfMaxKeys) {
  constexpr std::uint64_t kKeys = 200'000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Lab l(open({.max_keys = kKeys, .secret = base::HashSecret{seed, 7}}));
    const algo::Numbers numbers = a_day(Algorithm::token_bucket, 1);
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const Charge c = l.on(1, std::to_string(i), numbers);
      const Request request{{&c, 1}, false};
      Counting sink;
      l.store().charge({&request, 1}, l.now(), sink);
      ASSERT_TRUE(sink.admit) << i;
    }
    EXPECT_EQ(l.store().stats().keys, kKeys);
    EXPECT_EQ(l.store().stats().full, 0u);
  }
}

// A million keys that come once: memory stays bounded, and activity takes the dead away again a
// few at a time.
TEST(MemoryStore, ForgetsOneShotKeysAsOthersCome) {
  constexpr std::uint64_t kKeys = 1'000'000;
  Lab l(open({.max_keys = kKeys}));
  const algo::Numbers ten_seconds = window(Algorithm::fixed_window, 5, seconds(10));
  const auto touch = [&](std::uint64_t i) {
    const Charge c = l.on(1, std::to_string(i), ten_seconds);
    const Request request{{&c, 1}, false};
    Counting sink;
    l.store().charge({&request, 1}, l.now(), sink);
    ASSERT_TRUE(sink.admit);
  };
  for (std::uint64_t i = 0; i < kKeys; ++i) touch(i);
  ASSERT_EQ(l.store().stats().keys, kKeys);
  l.advance(seconds(20));
  const std::uint64_t before = l.store().stats().reclaimed;
  touch(kKeys);
  EXPECT_LE(l.store().stats().reclaimed - before, memory::Shard::kProbe);
  for (std::uint64_t i = 1; i <= kKeys / 3; ++i) touch(kKeys + i);
  // An insert examines four: a third of the keys' number sees all of the old ones.
  EXPECT_EQ(l.store().stats().full, 0u);
  EXPECT_LT(l.store().stats().keys, kKeys / 3 + kKeys / 100);
}

TEST(MemoryStore, NoCallSweepsMoreThanTheProbeRange) {
  Lab l(open({.max_keys = 1'000, .shards = 1}));
  const algo::Numbers second = window(Algorithm::fixed_window, 5, seconds(1));
  const algo::Numbers day = a_day(Algorithm::fixed_window, 5);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(l.charge({l.on(1, std::to_string(i), i < 600 ? day : second)}).admit);
  }
  l.advance(seconds(5));
  std::uint64_t before = l.store().stats().reclaimed;
  for (int i = 0; i < 300; ++i) {
    (void)l.charge({l.on(1, "late" + std::to_string(i), second)});
    const std::uint64_t after = l.store().stats().reclaimed;
    EXPECT_LE(after - before, memory::Shard::kProbe + memory::Shard::kSweep);
    before = after;
  }
  EXPECT_GE(l.store().stats().reclaimed, 300u);
}

TEST(MemoryStore, AKeyCostsSixtyFourBytes) { EXPECT_EQ(sizeof(memory::Entry), 64u); }

// A digest is never read as another algorithm's state, whatever a caller mixes up.
TEST(MemoryStore, KeepsAlgorithmsOfOneSlotApart) {
  Lab l(open({}));
  const algo::Numbers bucket_of_two = a_day(Algorithm::token_bucket, 2);
  const algo::Numbers log_of_two = a_day(Algorithm::sliding_log, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(l.charge({l.on(1, "k", bucket_of_two), l.on(1, "k", log_of_two)}).admit);
  }
  EXPECT_FALSE(l.charge({l.on(1, "k", bucket_of_two)}).admit);
  EXPECT_FALSE(l.charge({l.on(1, "k", log_of_two)}).admit);
  EXPECT_TRUE(l.store().reset(1, l.key(1, "k")));
  EXPECT_EQ(l.store().stats().keys, 0u);
}

}  // namespace
}  // namespace weir::store::testing
