// What a guard denies without a question, and what it does not: over a store far away whose clock
// is its own.
#include <gtest/gtest.h>

#include "guard/testing/process.h"
#include "store/testing/lab.h"

namespace weir::guard {
namespace {

using store::testing::bucket;
using store::testing::window;
using testing::Answer;
using testing::Network;
using testing::Process;
using testing::Server;

class Denied : public ::testing::Test {
 protected:
  void after(Duration d) { network_.run_until(network_.now() + d); }
  // Until the store denies: how many it admitted.
  int use_up(Process& process, const store::Charge& charge) {
    int admitted = 0;
    while (process.told({charge}).admit) ++admitted;
    return admitted;
  }

  Network network_;
  Server server_;
  Process process_{network_, server_};
};

TEST_F(Denied, IsNotAskedAgainUntilItFits) {
  const algo::Numbers numbers = bucket(2, seconds(1), 4);
  const store::Charge charge = process_.on("k", numbers);
  EXPECT_EQ(use_up(process_, charge), 4);
  const std::uint64_t calls = process_.calls();
  const Answer& first = process_.ask({charge});
  ASSERT_EQ(first.times, 1) << "at once";
  EXPECT_FALSE(first.admit);
  const Duration wait = first.outcomes[0].wait;
  EXPECT_GT(wait, milliseconds(490));
  after(milliseconds(100));
  const Answer& second = process_.ask({charge});
  ASSERT_EQ(second.times, 1);
  EXPECT_FALSE(second.admit);
  EXPECT_EQ(second.outcomes[0].reason, Reason::limit_exceeded);
  EXPECT_EQ(second.outcomes[0].remaining, 0u);
  EXPECT_EQ(second.outcomes[0].wait, wait - milliseconds(100));
  EXPECT_EQ(second.outcomes[0].reset, first.outcomes[0].reset - milliseconds(100));
  EXPECT_EQ(second.now.steady, first.now.steady + milliseconds(100));
  EXPECT_EQ(process_.calls(), calls);
  EXPECT_EQ(process_.guard().counts().denied_again, 2u);
}

// Who waits as told is admitted, and nobody is denied whom the store would admit: whatever the way
// there takes.
TEST_F(Denied, EndsWhenTheStoreWouldAdmit) {
  for (const Duration way : {microseconds(1), milliseconds(1), milliseconds(30)}) {
    const algo::Numbers numbers = bucket(3, seconds(1), 2);
    Process process(network_, server_, way);
    const store::Charge charge = process.on("way " + std::to_string(way.ns), numbers);
    use_up(process, charge);
    for (int i = 0; i < 100; ++i) {
      // A denial at memory speed, or none: the store's word at the instant it was asked.
      const store::Inspection found = process.far().inspect(charge, {});
      const Answer& answer = process.ask({charge});
      if (answer.times == 1) {
        EXPECT_FALSE(answer.admit);
        EXPECT_EQ(found.now.remaining, 0u) << "the store had room";
        EXPECT_GE(answer.outcomes[0].wait, found.now.wait);
        EXPECT_LE(answer.outcomes[0].wait, found.now.wait + way + microseconds(1));
        if (i % 8 == 0) {
          after(answer.outcomes[0].wait);
          EXPECT_TRUE(process.told({charge}).admit);
        }
      }
      after(milliseconds(3));
    }
    EXPECT_GT(process.guard().counts().denied_again, 0u);
  }
}

TEST_F(Denied, ARaisedLimitIsAsked) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 2, hours(1));
  const algo::Numbers raised = window(Algorithm::fixed_window, 3, hours(1));
  use_up(process_, process_.on("k", numbers));
  EXPECT_EQ(process_.ask({process_.on("k", numbers)}).times, 1);
  EXPECT_TRUE(process_.told({process_.on("k", raised)}).admit);
  EXPECT_FALSE(process_.told({process_.on("k", raised)}).admit);
}

TEST_F(Denied, ARefundAndAResetAreSeenAtOnce) {
  const algo::Numbers numbers = window(Algorithm::sliding_window, 2, hours(1));
  const store::Charge charge = process_.on("k", numbers);
  use_up(process_, charge);
  process_.guard().refund({&charge, 1}, {network_.now(), 0});
  EXPECT_TRUE(process_.told({charge}).admit);
  after(milliseconds(20));
  EXPECT_FALSE(process_.told({charge}).admit);
  EXPECT_EQ(process_.ask({charge}).times, 1);
  process_.guard().reset(charge.slot, charge.key);
  EXPECT_EQ(use_up(process_, charge), 2);
}

// What was denied before a refund and is answered after it says nothing.
TEST_F(Denied, AnAnswerThatARefundHasOvertakenIsNotBelieved) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 1, hours(1));
  const store::Charge charge = process_.on("k", numbers);
  ASSERT_TRUE(process_.told({charge}).admit);
  const Answer& late = process_.ask({charge});
  process_.guard().reset(charge.slot, charge.key);
  while (late.times == 0) after(microseconds(10));
  EXPECT_TRUE(late.admit || process_.told({charge}).admit);
}

// Another process may give back: nothing is believed for longer than a second.
TEST_F(Denied, IsBelievedForASecondAtMost) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 1, hours(1));
  const store::Charge charge = process_.on("k", numbers);
  use_up(process_, charge);
  Process other(network_, server_);
  other.guard().refund({&charge, 1}, {network_.now(), 0});
  after(milliseconds(990));
  EXPECT_FALSE(process_.told({charge}).admit);
  after(milliseconds(12));
  EXPECT_TRUE(process_.told({charge}).admit);
}

TEST_F(Denied, AnotherCostIsAskedUnlessItIsAsCertain) {
  for (const Algorithm algorithm : {Algorithm::token_bucket, Algorithm::fixed_window,
                                    Algorithm::sliding_window, Algorithm::sliding_log}) {
    const std::string key(name(algorithm));
    const algo::Numbers numbers = algorithm == Algorithm::token_bucket
                                      ? bucket(10, hours(1), 10)
                                      : window(algorithm, 10, hours(1));
    ASSERT_TRUE(process_.told({process_.on(key, numbers, 7)}).admit);
    ASSERT_FALSE(process_.told({process_.on(key, numbers, 5)}).admit);
    EXPECT_EQ(process_.ask({process_.on(key, numbers, 5)}).times, 1) << key;
    // Less may fit, and does.
    EXPECT_TRUE(process_.told({process_.on(key, numbers, 1)}).admit) << key;
    ASSERT_FALSE(process_.told({process_.on(key, numbers, 5)}).admit);
    const Answer& more = process_.ask({process_.on(key, numbers, 6)});
    const bool certain =
        algorithm == Algorithm::token_bucket || algorithm == Algorithm::fixed_window;
    EXPECT_EQ(more.times, certain ? 1 : 0) << key;
    // What never fits has no wait.
    const Answer& never = process_.told({process_.on(key, numbers, 11)});
    EXPECT_EQ(never.outcomes[0].reason, Reason::cost_exceeds_limit);
    EXPECT_EQ(never.outcomes[0].wait, Duration::max());
  }
}

TEST_F(Denied, APeekAlwaysAsks) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 1, hours(1));
  use_up(process_, process_.on("k", numbers));
  const std::uint64_t calls = process_.calls();
  EXPECT_EQ(process_.ask({process_.on("k", numbers)}, true).times, 0);
  EXPECT_EQ(process_.calls(), calls + 1);
}

TEST_F(Denied, LimitsBesideAreShownOnlyWhereTheyAreKnown) {
  const algo::Numbers small = window(Algorithm::fixed_window, 1, hours(1));
  const algo::Numbers large = window(Algorithm::fixed_window, 10, hours(1));
  ASSERT_TRUE(process_.told({process_.on("own", small), process_.on("all", large)}).admit);
  ASSERT_FALSE(process_.told({process_.on("own", small), process_.on("all", large)}).admit);
  const Answer& again = process_.ask({process_.on("own", small), process_.on("all", large)});
  ASSERT_EQ(again.times, 1);
  EXPECT_FALSE(again.admit);
  EXPECT_FALSE(again.outcomes[0].admit);
  EXPECT_TRUE(again.outcomes[1].admit);
  EXPECT_EQ(again.outcomes[1].remaining, 9u);
  // Another limit beside it: nothing was said of that one.
  EXPECT_EQ(process_.ask({process_.on("own", small), process_.on("other", large)}).times, 0);
}

TEST_F(Denied, AShadowLimitNeverDenies) {
  const algo::Numbers small = window(Algorithm::fixed_window, 1, hours(1));
  const algo::Numbers large = window(Algorithm::fixed_window, 3, hours(1));
  store::Charge shadow = process_.on("shadow", small);
  shadow.shadow = true;
  int admitted = 0;
  for (int i = 0; i < 6; ++i) {
    admitted += process_.told({process_.on("own", large), shadow}).admit ? 1 : 0;
  }
  EXPECT_EQ(admitted, 3);
  const Answer& again = process_.ask({process_.on("own", large), shadow});
  ASSERT_EQ(again.times, 1);
  EXPECT_FALSE(again.outcomes[1].admit);
}

TEST_F(Denied, AFailureIsNotADenial) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 1, hours(1));
  const store::Charge charge = process_.on("k", numbers);
  process_.far().failing = true;
  EXPECT_TRUE(process_.told({charge}).failed);
  process_.far().failing = false;
  EXPECT_TRUE(process_.told({charge}).admit);
}

}  // namespace
}  // namespace weir::guard
