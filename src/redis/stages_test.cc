#include "redis/stages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "redis/key_name.h"

namespace weir::redis {
namespace {

constexpr std::uint64_t kNowUs = 1'795'996'800'000'000;

algo::Numbers daily(std::uint64_t limit) {
  return *algo::make_window(Algorithm::fixed_window, limit, hours(24), Align::epoch);
}
const algo::Numbers kTen = daily(10);

store::Charge on(std::uint32_t tag, std::uint64_t cost = 1, bool shadow = false) {
  static std::uint64_t next = 1;
  store::Charge c;
  c.tag = tag;
  c.key = {next, next};
  ++next;
  c.numbers = &kTen;
  c.cost = cost;
  c.shadow = shadow;
  return c;
}

std::string whole(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
  return out;
}

// Asks for the stage at hand, of counters that nobody has touched: the script's answer follows from
// the costs.
Stages::Next take(Stages& stages, bool peek = false) {
  Batch batch;
  const std::span<const store::Charge> charges = stages.charges();
  if (stages.may_return()) {
    batch.add_stage(charges);
  } else {
    batch.add(charges, peek);
  }
  std::uint64_t bits = 0;
  std::size_t bit = 0;
  for (const bool shadow : {false, true}) {
    for (const store::Charge& c : charges) {
      if (c.shadow != shadow) continue;
      if (c.cost <= 10) bits |= std::uint64_t{1} << bit;
      ++bit;
    }
  }
  const std::string reply =
      whole(kNowUs, 8) + whole(bits, 6) + std::string(14 * charges.size(), '\0');
  EXPECT_TRUE(batch.read_reply(reply));
  return stages.take(batch, 0);
}

struct Given {
  explicit Given(std::vector<store::Charge> c, bool peek = false) : charges(std::move(c)) {
    stages.plan(charges, peek);
  }
  std::vector<store::Charge> charges;
  Stages stages;
};

std::size_t charged(Stages& stages) {
  std::size_t n = 0;
  stages.for_each_charged(
      [&](std::uint16_t, std::span<const store::Charge> charges, std::uint64_t us) {
        EXPECT_EQ(us, kNowUs);
        n += charges.size();
      });
  return n;
}

TEST(Stages, OneSlotIsOneStage) {
  Given g({on(5), on(5), on(5, 1, true)});
  EXPECT_FALSE(g.stages.several());
  EXPECT_FALSE(g.stages.may_return());
  EXPECT_EQ(g.stages.slot(), slot_of(g.charges[0]));
  EXPECT_EQ(g.stages.charges().size(), 3u);
}

TEST(Stages, StandInChargingOrderAndOutcomesAsGiven) {
  const store::Charge a = on(1);
  const store::Charge b = on(2, 2);
  const store::Charge c = on(1, 3);
  Given g({a, b, c});
  ASSERT_TRUE(g.stages.several());
  EXPECT_EQ(g.stages.slot(), slot_of(a));
  EXPECT_EQ(g.stages.charges().size(), 2u);
  EXPECT_TRUE(g.stages.may_return());
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  EXPECT_EQ(g.stages.slot(), slot_of(b));
  EXPECT_FALSE(g.stages.may_return());
  EXPECT_EQ(take(g.stages), Stages::Next::done);
  EXPECT_TRUE(g.stages.admit());
  EXPECT_EQ(g.stages.unasked(), 0u);
  ASSERT_EQ(g.stages.outcomes().size(), 3u);
  EXPECT_EQ(g.stages.outcomes()[0].remaining, 9u);
  EXPECT_EQ(g.stages.outcomes()[1].remaining, 8u);
  EXPECT_EQ(g.stages.outcomes()[2].remaining, 7u);
}

TEST(Stages, ADenialEndsItAndShowsTheCountersAsTheyWere) {
  Given g({on(1), on(2, 11), on(3)});
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  EXPECT_EQ(take(g.stages), Stages::Next::done);
  EXPECT_FALSE(g.stages.admit());
  EXPECT_EQ(g.stages.unasked(), 0b100u);
  EXPECT_EQ(g.stages.outcomes()[0].remaining, 10u);
  EXPECT_FALSE(g.stages.outcomes()[1].admit);
  EXPECT_EQ(g.stages.outcomes()[2].limit, 10u);
  EXPECT_EQ(charged(g.stages), 1u);
}

TEST(Stages, ADenialByTheFirstHasChargedNothing) {
  Given g({on(1, 11), on(2)});
  EXPECT_EQ(take(g.stages), Stages::Next::done);
  EXPECT_EQ(charged(g.stages), 0u);
}

// One that ends before it is over, at a deadline say: what was charged until then.
TEST(Stages, KnowWhatHasBeenChargedSoFar) {
  Given g({on(1), on(1, 0), on(2), on(3)});
  EXPECT_EQ(charged(g.stages), 0u);
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  EXPECT_EQ(charged(g.stages), 1u);  // a cost of 0 needs no refund
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  EXPECT_EQ(charged(g.stages), 2u);
}

TEST(Stages, SlotsOfShadowsAloneComeLastAndDecideNothing) {
  Given g({on(1, 1, true), on(2), on(3, 11, true), on(2, 11, true)});
  EXPECT_EQ(g.stages.slot(), slot_of(on(2)));
  EXPECT_EQ(g.stages.charges().size(), 2u);
  EXPECT_FALSE(g.stages.decided());
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  EXPECT_TRUE(g.stages.decided());
  EXPECT_EQ(charged(g.stages), 1u);  // its shadow had no room
  EXPECT_EQ(take(g.stages), Stages::Next::ask);
  // The last one fails: admitted all the same, and of that one nothing is known.
  EXPECT_TRUE(g.stages.admit());
  EXPECT_EQ(g.stages.unasked(), 0b0100u);
  EXPECT_EQ(g.stages.outcomes()[0].remaining, 9u);
}

TEST(Stages, APeekAsksAllAndChargesNothing) {
  Given g({on(1, 11), on(2)}, true);
  EXPECT_FALSE(g.stages.may_return());
  EXPECT_EQ(take(g.stages, true), Stages::Next::ask);
  EXPECT_EQ(take(g.stages, true), Stages::Next::done);
  EXPECT_FALSE(g.stages.admit());
  EXPECT_EQ(g.stages.unasked(), 0u);
  EXPECT_EQ(g.stages.outcomes()[1].remaining, 10u);
  EXPECT_EQ(charged(g.stages), 0u);
}

}  // namespace
}  // namespace weir::redis
