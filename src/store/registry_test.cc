#include "store/registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "store/testing/lab.h"

namespace weir::store {
namespace {

using testing::bucket;
using testing::leaky;
using testing::window;

Slot slot(Registry& registry, std::string_view name, const algo::Numbers& numbers,
          std::string_view unit = "requests") {
  const Result<Slot> result = registry.slot(name, numbers, unit);
  EXPECT_TRUE(result);
  return result ? *result : Slot{0};
}

TEST(Registry, KeepsTheSlotWhileOnlyNumbersChange) {
  Registry registry;
  EXPECT_EQ(slot(registry, "a", bucket(10, seconds(1), 20)),
            slot(registry, "a", bucket(3, minutes(5), 1)));
  EXPECT_EQ(slot(registry, "b", leaky(10, seconds(1), 20)),
            slot(registry, "b", leaky(3, days(1), 0)));
  for (const Algorithm a :
       {Algorithm::fixed_window, Algorithm::sliding_window, Algorithm::sliding_log}) {
    EXPECT_EQ(slot(registry, "c", window(a, 5, seconds(60))),
              slot(registry, "c", window(a, 99, seconds(60))));
  }
  EXPECT_EQ(slot(registry, "d", window(Algorithm::sliding_log, 5, seconds(60), Align::epoch)),
            slot(registry, "d", window(Algorithm::sliding_log, 5, seconds(60), Align::first)));
}

TEST(Registry, GivesAnotherSlotToAnotherIdentity) {
  Registry registry;
  const algo::Numbers minute = window(Algorithm::fixed_window, 5, seconds(60));
  std::set<Slot> slots{
      slot(registry, "a", minute),
      slot(registry, "b", minute),
      slot(registry, "a", minute, "points"),
      slot(registry, "a", window(Algorithm::fixed_window, 5, seconds(61))),
      slot(registry, "a", window(Algorithm::fixed_window, 5, seconds(60), Align::first)),
      slot(registry, "a", window(Algorithm::sliding_window, 5, seconds(60))),
      slot(registry, "a", window(Algorithm::sliding_log, 5, seconds(60))),
      slot(registry, "a", bucket(5, seconds(60), 5)),
      slot(registry, "a", leaky(5, seconds(60), 5)),
      // Names and units are not run together.
      slot(registry, "a_", minute, "points"),
      slot(registry, "a", minute, "_points"),
  };
  EXPECT_EQ(slots.size(), 11u);
  EXPECT_EQ(slots.count(0), 0u) << "slot 0 is nobody's";
  EXPECT_EQ(registry.size(), 11u);
}

TEST(Registry, RefusesMoreThanItCanTellApartAndKeepsWhatItHas) {
  Registry registry;
  const algo::Numbers numbers = bucket(1, seconds(1), 1);
  for (std::size_t i = 0; i < Registry::kMaxSlots; ++i) {
    ASSERT_TRUE(registry.slot("limit" + std::to_string(i), numbers, "requests"));
  }
  const Result<Slot> refused = registry.slot("one-more", numbers, "requests");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_range);
  EXPECT_EQ(refused.error().where, "one-more");
  EXPECT_NE(refused.error().message.find("65,535"), std::string::npos);
  EXPECT_EQ(slot(registry, "limit0", numbers), 1);
}

TEST(Registry, ThreadsAgreeOnASlot) {
  Registry registry;
  const algo::Numbers numbers = bucket(1, seconds(1), 1);
  std::vector<std::vector<Slot>> seen(8);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        mine.push_back(*registry.slot("limit" + std::to_string(i), numbers, "requests"));
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
  EXPECT_EQ(registry.size(), 200u);
}

}  // namespace
}  // namespace weir::store
