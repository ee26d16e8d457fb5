// Requests that are decided from tokens taken ahead: all or nothing, never more than the store has
// charged, and what is unspent goes back.
#include <gtest/gtest.h>

#include "algo/prefetch.h"
#include "guard/testing/process.h"
#include "store/testing/lab.h"

namespace weir::guard {
namespace {

using store::testing::a_day;
using store::testing::bucket;
using store::testing::window;
using testing::Answer;
using testing::Network;
using testing::Process;
using testing::Server;

class Prefetch : public ::testing::Test {
 protected:
  void after(Duration d) { network_.run_until(network_.now() + d); }
  std::uint64_t used(Process& process, const store::Charge& charge) {
    const Outcome found = process.far().inspect(charge, {}).now;
    return found.limit - found.remaining;
  }
  // Requests at 2,000 a second until `n` were admitted.
  void admit(Process& process, const store::Charge& charge, int n) {
    while (n > 0) {
      n -= process.told({charge}).admit ? 1 : 0;
      after(microseconds(500));
    }
  }

  Network network_;
  Server server_;
  Process process_{network_, server_};
  const algo::Numbers day_ = a_day(Algorithm::fixed_window, 1'000);
};

TEST_F(Prefetch, AQuietCounterIsChargedDirectly) {
  const store::Charge charge = process_.ahead("k", day_);
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(process_.told({charge}).admit);
    after(milliseconds(25));
  }
  EXPECT_EQ(process_.guard().counts().asked, 0u);
  EXPECT_EQ(used(process_, charge), 40u);
}

TEST_F(Prefetch, AHotOneIsAdmittedFromTokensInHand) {
  const store::Charge charge = process_.ahead("k", day_);
  admit(process_, charge, 100);
  const std::uint64_t calls = process_.calls();
  const Answer& answer = process_.ask({charge});
  EXPECT_EQ(answer.times, 1) << "at once";
  EXPECT_TRUE(answer.admit);
  admit(process_, charge, 199);
  EXPECT_LT(process_.calls() - calls, 20u);
  EXPECT_GT(process_.guard().counts().prefetched, 250u);
  // All of it was charged, and what is in hand too.
  EXPECT_GE(used(process_, charge), 300u);
  EXPECT_LE(used(process_, charge), 300u + algo::most_prefetched(day_));
}

TEST_F(Prefetch, WhatItSaysIsWhatTheStoreSaidLessWhatWasUsed) {
  const store::Charge charge = process_.ahead("k", day_);
  std::uint64_t admitted = 0;
  for (int i = 0; i < 400; ++i) {
    const Answer& answer = process_.told({charge});
    ASSERT_TRUE(answer.admit);
    ++admitted;
    // A direct answer does not count what is in hand for us.
    EXPECT_LE(answer.outcomes[0].remaining, 1'000 - admitted);
    EXPECT_GE(answer.outcomes[0].remaining + algo::most_prefetched(day_), 1'000 - admitted);
    EXPECT_EQ(answer.outcomes[0].limit, 1'000u);
    EXPECT_EQ(answer.outcomes[0].wait, Duration{});
    const Outcome found = process_.far().inspect(charge, {}).now;
    EXPECT_GE(answer.outcomes[0].reset, found.reset);
    EXPECT_LE(answer.outcomes[0].reset, found.reset + milliseconds(1));
    after(microseconds(500));
  }
}

TEST_F(Prefetch, UnspentTokensGoBack) {
  const store::Charge charge = process_.ahead("k", day_);
  admit(process_, charge, 100);
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(used(process_, charge), 100u);
  EXPECT_EQ(process_.guard().counts().leases, 0u);
  EXPECT_GT(process_.guard().counts().returned, 0u);
  process_.sweep();
  after(milliseconds(60));
  EXPECT_EQ(used(process_, charge), 100u) << "once";
}

TEST_F(Prefetch, ThreeProcessesAdmitExactlyTheLimit) {
  for (const Algorithm algorithm : {Algorithm::token_bucket, Algorithm::fixed_window,
                                    Algorithm::sliding_window, Algorithm::sliding_log}) {
    Server server;
    const algo::Numbers numbers = a_day(algorithm, 1'000);
    std::vector<std::unique_ptr<Process>> fleet;
    for (int i = 0; i < 3; ++i) fleet.push_back(std::make_unique<Process>(network_, server));
    std::vector<const Answer*> answers;
    for (int ms = 0; ms < 700; ++ms) {
      for (auto& process : fleet) {
        for (int i = 0; i < 2; ++i)
          answers.push_back(&process->ask({process->ahead("k", numbers)}));
        if (ms % 10 == 0) process->sweep();
      }
      after(milliseconds(1));
    }
    after(milliseconds(100));
    int admitted = 0;
    for (const Answer* a : answers) {
      EXPECT_EQ(a->times, 1);
      admitted += a->admit ? 1 : 0;
    }
    EXPECT_EQ(admitted, 1'000) << name(algorithm);
    std::uint64_t calls = 0;
    for (auto& process : fleet) calls += process->calls();
    EXPECT_LT(calls, 700u) << "of 4,200 requests";
  }
}

TEST_F(Prefetch, AProcessThatEndsGivesBackWhatItHas) {
  const store::Charge charge = process_.ahead("k", day_);
  auto ends = std::make_unique<Process>(network_, server_);
  admit(*ends, charge, 100);
  after(milliseconds(1));
  EXPECT_GT(used(process_, charge), 100u);
  ends.reset();
  after(milliseconds(1));
  EXPECT_EQ(used(process_, charge), 100u);
}

TEST_F(Prefetch, AProcessThatIsKilledTakesItsTokensWithIt) {
  auto killed = std::make_unique<Process>(network_, server_);
  const store::Charge charge = killed->ahead("k", day_);
  admit(*killed, charge, 100);
  after(milliseconds(1));
  killed->far().failing = true;  // nothing of what it sends arrives
  killed.reset();
  const std::uint64_t lost = used(process_, charge) - 100;
  EXPECT_GT(lost, 0u);
  EXPECT_LE(lost, algo::most_prefetched(day_));
  std::uint64_t admitted = 100;
  for (int i = 0; i < 4'000; ++i) {
    admitted += process_.told({charge}).admit ? 1 : 0;
    after(microseconds(100));
    if (i % 20 == 0) process_.sweep();
  }
  EXPECT_EQ(admitted, 1'000 - lost);
}

TEST_F(Prefetch, ALimitBesideThatDeniesGivesTheTokensBack) {
  const algo::Numbers few = window(Algorithm::fixed_window, 150, days(1));
  const store::Charge hot = process_.ahead("k", day_);
  const store::Charge beside = process_.on("beside", few);
  int admitted = 0;
  for (int i = 0; i < 600; ++i) {
    const Answer& answer = process_.told({hot, beside});
    ASSERT_EQ(answer.outcomes.size(), 2u);
    admitted += answer.admit ? 1 : 0;
    if (!answer.admit) {
      EXPECT_TRUE(answer.outcomes[0].admit);
      EXPECT_FALSE(answer.outcomes[1].admit);
      EXPECT_GE(answer.outcomes[0].remaining + 62, 1'000u - 150);
    }
    after(microseconds(500));
    if (i % 20 == 0) process_.sweep();
  }
  EXPECT_EQ(admitted, 150);
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(used(process_, hot), 150u);
  EXPECT_EQ(used(process_, beside), 150u);
}

TEST_F(Prefetch, ALimitBesideThatCanNotBeAskedGivesTheTokensBack) {
  const algo::Numbers many = window(Algorithm::fixed_window, 100'000, days(1));
  const store::Charge hot = process_.ahead("k", day_);
  const store::Charge beside = process_.on("beside", many);
  int admitted = 0;
  for (int i = 0; i < 300; ++i) {
    process_.far().failing = i % 3 == 0;
    const Answer& answer = process_.told({hot, beside});
    admitted += answer.admit ? 1 : 0;
    EXPECT_TRUE(answer.admit || answer.failed);
    after(microseconds(500));
  }
  process_.far().failing = false;
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(used(process_, beside), static_cast<std::uint64_t>(admitted));
  // What was lost with a question is lost; nothing was admitted that was not charged.
  EXPECT_GE(used(process_, hot), static_cast<std::uint64_t>(admitted));
}

TEST_F(Prefetch, TwoHotLimitsAreTakenTogetherOrNotAtAll) {
  const algo::Numbers few = window(Algorithm::fixed_window, 500, days(1));
  const store::Charge one = process_.ahead("one", day_);
  const store::Charge other = process_.ahead("other", few);
  int admitted = 0;
  for (int i = 0; i < 1'500; ++i) {
    admitted += process_.told({one, other}).admit ? 1 : 0;
    after(microseconds(500));
    if (i % 20 == 0) process_.sweep();
  }
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(admitted, 500);
  EXPECT_EQ(used(process_, one), 500u);
  EXPECT_EQ(used(process_, other), 500u);
  EXPECT_LT(process_.calls(), 500u);
}

TEST_F(Prefetch, ADenialAsksOnceInTwentyMilliseconds) {
  const store::Charge charge = process_.ahead("k", day_);
  admit(process_, charge, 1'000);
  const std::uint64_t calls = process_.calls();
  int decided = 0;
  for (int i = 0; i < 4'000; ++i) {  // 200 ms
    const Answer& answer = process_.told({charge});
    EXPECT_FALSE(answer.admit);
    EXPECT_EQ(answer.outcomes[0].remaining, 0u);
    EXPECT_GT(answer.outcomes[0].wait, minutes(1));
    ++decided;
    after(microseconds(50));
  }
  EXPECT_LE(process_.calls() - calls, 12u) << "of " << decided;
  EXPECT_GT(process_.guard().counts().rested, 3'800u);
}

TEST_F(Prefetch, AFailedQuestionFailsThoseWhoWaitForIt) {
  const algo::Numbers numbers = bucket(100'000, seconds(1), 100'000);
  const store::Charge charge = process_.ahead("k", numbers);
  admit(process_, charge, 100);
  after(milliseconds(60));  // what was in hand is over
  process_.far().failing = true;
  std::vector<const Answer*> answers;
  for (int i = 0; i < 50; ++i) answers.push_back(&process_.ask({charge}));
  after(milliseconds(5));
  for (const Answer* a : answers) {
    EXPECT_EQ(a->times, 1);
    EXPECT_TRUE(a->failed);
  }
  process_.far().failing = false;
  EXPECT_TRUE(process_.told({charge}).admit);
}

TEST_F(Prefetch, TokensOfAWindowDieWithIt) {
  const algo::Numbers numbers = window(Algorithm::fixed_window, 1'600, seconds(1));
  // To 30 ms before a window of the server's ends.
  const std::uint64_t into = process_.far().server_now().steady.ns % seconds(1).ns;
  after(Duration{seconds(1).ns - into} + milliseconds(900));
  const store::Charge charge = process_.ahead("k", numbers);
  admit(process_, charge, 100);
  while (process_.far().server_now().steady.ns % seconds(1).ns < milliseconds(990).ns) {
    admit(process_, charge, 1);
  }
  EXPECT_GT(process_.guard().counts().leases, 0u);
  while (process_.far().server_now().steady.ns % seconds(1).ns > milliseconds(500).ns) {
    after(microseconds(100));
  }
  const std::uint64_t returned = process_.guard().counts().returned;
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(process_.guard().counts().leases, 0u);
  EXPECT_EQ(process_.guard().counts().returned, returned);
  EXPECT_EQ(used(process_, charge), 0u);
}

TEST_F(Prefetch, AResetLeavesNothingInHand) {
  const store::Charge charge = process_.ahead("k", day_);
  admit(process_, charge, 100);
  process_.guard().reset(charge.slot, charge.key);
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(used(process_, charge), 0u);
}

// A raise is another set of numbers: the old lease ends by itself.
TEST_F(Prefetch, OtherNumbersHaveTokensOfTheirOwn) {
  const algo::Numbers raised = a_day(Algorithm::fixed_window, 1'100);
  const store::Charge before = process_.ahead("k", day_);
  const store::Charge after_it = process_.ahead("k", raised);
  admit(process_, before, 1'000);
  EXPECT_FALSE(process_.told({before}).admit);
  admit(process_, after_it, 100);
  after(milliseconds(60));
  process_.sweep();
  after(milliseconds(5));
  EXPECT_EQ(used(process_, after_it), 1'100u);
  EXPECT_FALSE(process_.told({after_it}).admit);
}

TEST_F(Prefetch, CostsAreTakenWhole) {
  const store::Charge three = process_.ahead("k", day_, 3);
  int admitted = 0;
  for (int i = 0; i < 1'000; ++i) {
    admitted += process_.told({three}).admit ? 1 : 0;
    after(microseconds(500));
    if (i % 20 == 0) process_.sweep();
  }
  EXPECT_EQ(admitted, 333);
  const Answer& last = process_.told({process_.ahead("k", day_, 1)});
  EXPECT_TRUE(last.admit) << "one is left";
}

TEST_F(Prefetch, ACostAboveWhatMayBeInHandIsChargedDirectly) {
  const store::Charge charge = process_.ahead("k", day_, 100);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(process_.told({charge}).admit);
  EXPECT_FALSE(process_.told({charge}).admit);
  EXPECT_EQ(used(process_, charge), 1'000u);
}

// Two thousand requests a second for a second: each is decided, within one trip to the store.
void expect_one_trip_each(Network& network, Process& process, Duration trip,
                          std::initializer_list<store::Charge> charges) {
  constexpr Duration kStep = microseconds(500);
  const std::size_t steps = trip.ns / kStep.ns + 2;
  std::vector<const Answer*> answers;
  for (std::size_t i = 0; i < 2'000; ++i) {
    answers.push_back(&process.ask(charges));
    network.run_until(network.now() + kStep);
    if (i < steps) continue;
    ASSERT_EQ(answers[i - steps]->times, 1) << i;
    ASSERT_FALSE(answers[i - steps]->failed) << i;
  }
  network.run_until(network.now() + trip + kStep);
  for (const Answer* answer : answers) ASSERT_EQ(answer->times, 1);
}

TEST_F(Prefetch, BesideADirectLimitNobodyWaitsForTokens) {
  Process far(network_, server_, milliseconds(6), {.timeout = milliseconds(15)});
  const algo::Numbers ahead = bucket(500, seconds(1), 500);
  const algo::Numbers all = a_day(Algorithm::fixed_window, 1'000'000);
  expect_one_trip_each(network_, far, milliseconds(12), {far.ahead("k", ahead), far.on("g", all)});
  after(seconds(1));
  EXPECT_LE(used(far, far.on("g", all)), 1'000u) << "the burst, and a second's worth";
  EXPECT_GE(used(far, far.on("g", all)), 980u);
}

TEST_F(Prefetch, WhereTheStoreIsFarNobodyWaitsForTokensThatMayNotCome) {
  for (const Duration way : {milliseconds(6), milliseconds(21), milliseconds(60)}) {
    Server server;
    Process far(network_, server, way, {.timeout = Duration{way.ns * 5 / 2}});
    const algo::Numbers day = a_day(Algorithm::fixed_window, 1'000);
    expect_one_trip_each(network_, far, Duration{way.ns * 2}, {far.ahead("k", day)});
    after(seconds(1));
    EXPECT_EQ(used(far, far.on("k", day)), 1'000u);
    EXPECT_GT(far.guard().counts().prefetched, 0u) << "tokens live from when they came";
  }
}

}  // namespace
}  // namespace weir::guard
