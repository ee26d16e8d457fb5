// The bytes of a batch, and replies that are not what they should be. No Redis here.
#include "redis/batch.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "redis/key_name.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using store::Charge;
using store::testing::bucket;
using store::testing::window;

constexpr std::uint64_t kNowUs = 1'795'996'800'000'000;

Charge on(const algo::Numbers& numbers, std::uint64_t key, std::uint64_t cost = 1) {
  Charge c;
  c.key = {key, 0};
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

std::string whole(std::uint64_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
  return out;
}
std::string number(double value) { return whole(std::bit_cast<std::uint64_t>(value), 8); }

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

std::string name_of(const Charge& charge) {
  std::string name;
  append_key(name, "p", charge);
  return name;
}

TEST(RedisBatch, WritesTheCallAsTheScriptsHeaderHasIt) {
  const algo::Numbers ten = bucket(10, seconds(1), 25);
  const algo::Numbers hour = window(Algorithm::fixed_window, 5, hours(1));
  Batch batch;
  const Charge charges[] = {on(hour, 2, 3), on(ten, 1, 2)};
  batch.add(charges, false);
  batch.add({charges, 1}, true);
  const std::string argument = whole(2, 1) + number(1'795'996'800) + number(0) + whole(1, 2) +
                               whole(1, 2) + whole(0, 2) + whole(0, 2) + whole(3, 2) +
                               // fixed window, enforced, more follow, second key: 3 of 5 an hour
                               whole(5, 1) + whole(0, 1) + whole(0, 1) + whole(2, 2) + number(3) +
                               number(5) + number(3.6e9) + number(0) +
                               // bucket, enforced, last, first key: 0.2 s of 2.5 s
                               whole(1, 1) + whole(0, 1) + whole(1, 1) + whole(1, 2) + number(2e8) +
                               number(2.5e9) + number(2.5e9) + number(0x1p52) +
                               // the peek
                               whole(5, 1) + whole(0, 1) + whole(3, 1) + whole(2, 2) + number(3) +
                               number(5) + number(3.6e9) + number(0);
  std::string command;
  batch.append_eval(command, {"return 1", std::string(40, 'a')}, "p", true, kNowUs);
  EXPECT_EQ(command, "*6\r\n" + bulk("EVALSHA") + bulk(std::string(40, 'a')) + bulk("2") +
                         bulk(name_of(charges[1])) + bulk(name_of(charges[0])) + bulk(argument));
  command.clear();
  batch.append_eval(command, {"return 1", ""}, "p", false, kNowUs);
  EXPECT_EQ(command.substr(0, 28), "*6\r\n" + bulk("EVAL") + bulk("return 1"));
}

TEST(RedisBatch, ReadsWhatWasFound) {
  const algo::Numbers ten = bucket(10, seconds(1), 25);
  Batch batch;
  const Charge c = on(ten, 1, 2);
  batch.add({&c, 1}, false);
  // 2 s are owed of 2.5: one charge of 0.2 s fits, and leaves 3 tokens.
  const std::string reply =
      whole(kNowUs, 8) + whole(1, 6) + whole(kNowUs / 1'000'000 + 2, 5) + whole(0, 10);
  ASSERT_TRUE(batch.read_reply(reply));
  EXPECT_TRUE(batch.admit(0));
  EXPECT_EQ(batch.now().steady.ns, kNowUs * 1'000);
  ASSERT_EQ(batch.outcomes(0).size(), 1u);
  EXPECT_EQ(batch.outcomes(0)[0].remaining, 3u);
  EXPECT_EQ(batch.outcomes(0)[0].reset, milliseconds(2'200));
}

TEST(RedisBatch, AVerdictThatAlgoDoesNotShareIsAProtocolError) {
  const algo::Numbers ten = bucket(10, seconds(1), 25);
  Batch batch;
  const Charge c = on(ten, 1, 2);
  batch.add({&c, 1}, false);
  const std::string found = whole(kNowUs / 1'000'000 + 2, 5) + whole(0, 10);
  EXPECT_TRUE(batch.read_reply(whole(kNowUs, 8) + whole(1, 6) + found));
  EXPECT_FALSE(batch.read_reply(whole(kNowUs, 8) + whole(0, 6) + found));
}

// Whatever bytes come back, the answer is a verdict or a refusal.
TEST(RedisBatch, MalformedRepliesAreRefused) {
  const algo::Numbers numbers[] = {bucket(10, seconds(1), 25), bucket(7, seconds(1), 9),
                                   window(Algorithm::fixed_window, 5, seconds(1)),
                                   window(Algorithm::sliding_window, 5, seconds(1), Align::first),
                                   window(Algorithm::sliding_log, 5, seconds(1))};
  std::mt19937_64 random(1);
  Batch batch;
  std::vector<Charge> charges;
  for (std::size_t i = 0; i < std::size(numbers); ++i) charges.push_back(on(numbers[i], i));
  batch.add(charges, false);
  batch.add(charges, true);
  const std::size_t size = 8 + 6 + 15 + 15 + 14 + 21 + 24 + 24;
  for (std::size_t n = 0; n < size; ++n) EXPECT_FALSE(batch.read_reply(std::string(n, '\0')));
  EXPECT_FALSE(batch.read_reply(std::string(size + 1, '\0')));
  std::string all_fit = whole(kNowUs, 8) + whole(0x3ff, 6);
  all_fit.resize(size);
  // After one admission the log holds one unit, of now.
  all_fit.replace(size - 24, 16, whole(1, 8) + whole(kNowUs, 8));
  ASSERT_TRUE(batch.read_reply(all_fit));
  EXPECT_TRUE(batch.admit(1));
  for (int i = 0; i < 20'000; ++i) {
    std::string reply = all_fit;
    for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      reply[random() % size] = static_cast<char>(random());
    }
    if (!batch.read_reply(reply)) continue;
    for (const Outcome& o : batch.outcomes(0)) EXPECT_LE(o.remaining, o.limit);
  }
}

TEST(RedisBatch, OneCounterIsOneKeyHoweverManyChargesItHas) {
  const algo::Numbers ten = bucket(10, seconds(1), 25);
  Batch batch;
  for (int round = 0; round < 2; ++round) {
    batch.clear();
    const Charge charges[] = {on(ten, 7), on(ten, 7), on(ten, 8)};
    for (std::size_t i = 0; i < Batch::kMostRequests; ++i) batch.add(charges, false);
    std::string command;
    batch.append_eval(command, {"", ""}, "p", false, std::nullopt);
    EXPECT_EQ(command.substr(0, 4), "*6\r\n");
    EXPECT_EQ(batch.size(), Batch::kMostRequests);
  }
}

TEST(RedisBatch, AWindowMustBeWholeMicroseconds) {
  EXPECT_TRUE(storable(window(Algorithm::fixed_window, 1, microseconds(3))));
  EXPECT_FALSE(storable(window(Algorithm::fixed_window, 1, nanoseconds(3'001))));
  EXPECT_TRUE(storable(bucket(1, nanoseconds(3'001), 1)));
}

}  // namespace
}  // namespace weir::redis
