// What a batch says of a request that goes on elsewhere, and what a refund of it gives back: in a
// real Redis, at instants of the test's own.
#include <gtest/gtest.h>

#include "redis/batch.h"
#include "redis/key_name.h"
#include "redis/script.h"
#include "redis/testing/redis_process.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using store::testing::kAlgorithms;
using testing::RedisClient;
using testing::RedisProcess;

constexpr std::uint64_t kDay = 86'400'000'000;
constexpr std::uint64_t kNoon = 20'000 * kDay + kDay / 2;

class StageTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = new RedisProcess;
    client_ = new RedisClient(server_->port());
    client_->text({"SCRIPT", "LOAD", charge_script().text});
  }
  static void TearDownTestSuite() {
    delete client_;
    delete server_;
  }
  void SetUp() override { client_->text({"FLUSHALL"}); }

  void run(Batch& batch, std::uint64_t now_us) {
    std::string command;
    batch.append_eval(command, charge_script(), "t", true, now_us);
    client_->send(command);
    const testing::Reply reply = client_->read();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->type, REDIS_REPLY_STRING) << reply->str;
    ASSERT_TRUE(batch.read_reply({reply->str, reply->len}));
  }
  bool charge(const store::Charge& c, std::uint64_t now_us) {
    Batch batch;
    batch.add({&c, 1}, false);
    run(batch, now_us);
    return batch.admit(0);
  }
  void refund(const store::Charge& c, std::uint64_t charged_us, std::uint64_t now_us) {
    Batch batch;
    batch.add_refund({&c, 1}, charged_us);
    run(batch, now_us);
  }
  std::uint64_t remaining(store::Charge c, std::uint64_t now_us) {
    c.cost = 0;
    Batch batch;
    batch.add({&c, 1}, true);
    run(batch, now_us);
    return batch.outcomes(0)[0].remaining;
  }

  static RedisProcess* server_;
  static RedisClient* client_;
};
RedisProcess* StageTest::server_ = nullptr;
RedisClient* StageTest::client_ = nullptr;

algo::Numbers daily(Algorithm algorithm, std::uint64_t n, Align align = Align::epoch) {
  return *algo::make_window(algorithm, n, hours(24), align);
}

store::Charge on(const algo::Numbers& numbers, std::uint64_t key, std::uint64_t cost = 1) {
  store::Charge c;
  c.key = {key, key};
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

TEST_F(StageTest, SaysTheCountersAsTheyWereAndAsTheyAre) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    client_->text({"FLUSHALL"});
    const algo::Numbers numbers = store::testing::a_day(algorithm, 10);
    ASSERT_TRUE(charge(on(numbers, 1, 2), kNoon));
    // Twice on one counter, and on another.
    const store::Charge charges[] = {on(numbers, 1, 3), on(numbers, 2, 1), on(numbers, 1, 1)};
    Batch batch;
    batch.add_stage(charges);
    run(batch, kNoon);
    ASSERT_TRUE(batch.admit(0));
    const std::uint64_t full = batch.outcomes(0)[0].limit;
    EXPECT_EQ(batch.outcomes(0)[1].remaining, full - 1);
    EXPECT_EQ(batch.outcomes(0)[2].remaining, full - 6);
    ASSERT_EQ(batch.outcomes_before(0).size(), 3u);
    EXPECT_EQ(batch.outcomes_before(0)[0].remaining, full - 2);
    EXPECT_EQ(batch.outcomes_before(0)[1].remaining, full);
    EXPECT_EQ(batch.outcomes_before(0)[2].remaining, full - 2);
    for (const Outcome& o : batch.outcomes_before(0)) {
      EXPECT_TRUE(o.admit);
      EXPECT_EQ(o.wait, Duration{});
    }
  }
}

TEST_F(StageTest, ARefundRestoresWhatItsChargeTook) {
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    client_->text({"FLUSHALL"});
    const algo::Numbers numbers = store::testing::a_day(algorithm, 10);
    const store::Charge c = on(numbers, 1, 3);
    ASSERT_TRUE(charge(c, kNoon));
    const std::uint64_t before = remaining(c, kNoon + 5);
    ASSERT_TRUE(charge(c, kNoon + 10));
    refund(c, kNoon + 10, kNoon + 20);
    EXPECT_EQ(remaining(c, kNoon + 20), before);
  }
}

TEST_F(StageTest, ARefundChangesNoOtherWindow) {
  for (const Algorithm algorithm : {Algorithm::fixed_window, Algorithm::sliding_window}) {
    for (const Align align : {Align::epoch, Align::first}) {
      SCOPED_TRACE(name(algorithm));
      client_->text({"FLUSHALL"});
      const algo::Numbers numbers = daily(algorithm, 10, align);
      const store::Charge c = on(numbers, 1, 4);
      const std::uint64_t start = align == Align::epoch ? 20'000 * kDay : kNoon;
      ASSERT_TRUE(charge(c, kNoon));
      ASSERT_TRUE(charge(c, start + 2 * kDay - 1));  // of the window after that
      const std::uint64_t then = start + 2 * kDay - 1;
      const std::uint64_t before = remaining(c, then);
      refund(c, kNoon, then);
      EXPECT_EQ(remaining(c, then), before);
      refund(c, then, then);
      EXPECT_EQ(remaining(c, then), before + 4);
    }
  }
}

// Two after the charge that is taken back: they stay for as long as they would have.
TEST_F(StageTest, ARefundOfALogTakesItsOwnEntry) {
  const algo::Numbers numbers = daily(Algorithm::sliding_log, 10);
  const store::Charge c = on(numbers, 1, 3);
  ASSERT_TRUE(charge(c, kNoon));
  ASSERT_TRUE(charge(c, kNoon + 10));
  ASSERT_TRUE(charge(c, kNoon + 20));
  refund(c, kNoon, kNoon + 30);
  EXPECT_EQ(remaining(c, kNoon + 30), 4u);
  refund(c, kNoon, kNoon + 30);  // nothing of it is left
  EXPECT_EQ(remaining(c, kNoon + 30), 4u);
  EXPECT_EQ(remaining(c, kNoon + kDay + 9), 4u);
  EXPECT_EQ(remaining(c, kNoon + kDay + 10), 7u);
  EXPECT_EQ(remaining(c, kNoon + kDay + 20), 10u);
}

TEST_F(StageTest, ARefundOfTheLastEntryOfALogLeavesThoseBefore) {
  const algo::Numbers numbers = daily(Algorithm::sliding_log, 10);
  const store::Charge c = on(numbers, 1, 3);
  ASSERT_TRUE(charge(c, kNoon));
  ASSERT_TRUE(charge(c, kNoon + 10));
  refund(c, kNoon + 10, kNoon + 30);
  EXPECT_EQ(remaining(c, kNoon + kDay - 1), 7u);
  EXPECT_EQ(remaining(c, kNoon + kDay), 10u);
  refund(c, kNoon, kNoon + 40);
  EXPECT_EQ(client_->text({"DBSIZE"}), "0");
}

// Other requests of the same call see what the refund has left.
TEST_F(StageTest, ARefundThatChangesNothingIsSeenAsSuch) {
  const algo::Numbers numbers = daily(Algorithm::fixed_window, 4);
  const store::Charge c = on(numbers, 1, 4);
  ASSERT_TRUE(charge(c, kNoon + kDay));
  Batch batch;
  batch.add_refund({&c, 1}, kNoon);
  batch.add({&c, 1}, false);
  batch.add_refund({&c, 1}, kNoon + kDay);
  batch.add({&c, 1}, false);
  run(batch, kNoon + kDay);
  EXPECT_FALSE(batch.admit(1));
  EXPECT_TRUE(batch.admit(3));
}

}  // namespace
}  // namespace weir::redis
