// I5: how long keys live. Keys expire here when they would, by the clock that the script is told:
// nothing may be lost by it, and no write may leave a key that lives too long, or for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "redis/testing/differential.h"

namespace weir::redis::testing {
namespace {

using store::testing::bucket;
using store::testing::leaky;
using store::testing::Seen;
using store::testing::window;

constexpr std::uint64_t kStartUs = 1'795'996'800'000'000;  // 2026-11-30T00:00:00Z
constexpr long long kSlackMs = 2'000;                      // real time that a step may take
constexpr long long kEarlyMs = 100;  // and that may go by before a time to live is read

// Numbers that share one counter: tiers, overrides, a reload.
struct Shared {
  const char* name;
  std::vector<algo::Numbers> numbers;
};

void PrintTo(const Shared& shared, std::ostream* out) { *out << shared.name; }

bool is_bucket(const algo::Numbers& n) {
  return n.algorithm == Algorithm::token_bucket || n.algorithm == Algorithm::leaky_bucket;
}

// The longest that a key of these may live after a write.
long long longest_ms(const std::vector<algo::Numbers>& all) {
  std::uint64_t ns = 0;
  for (const algo::Numbers& n : all) {
    ns = std::max(ns, 2 * (is_bucket(n) ? algo::time_to_full(n).ns : n.period_ns));
  }
  return std::max<long long>(1'000, static_cast<long long>((ns + 999'999) / 1'000'000));
}

class TimeToLive : public ::testing::TestWithParam<Shared> {
 protected:
  TimeToLive() : numbers_(GetParam().numbers) {
    Duration longest;
    for (const algo::Numbers& n : numbers_) {
      if (is_bucket(n)) longest = std::max(longest, algo::time_to_full(n));
    }
    for (algo::Numbers& n : numbers_) {
      if (is_bucket(n)) algo::let_owe(n, longest);
    }
    longest_ms_ = longest_ms(numbers_);
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Up to twice the longest time to live, mostly far less.
  std::uint64_t random_step_us() {
    const std::uint64_t most = static_cast<std::uint64_t>(longest_ms_) * 2'000;
    return below(std::max<std::uint64_t>(1, most >> below(16)));
  }

  TestRequest random_request() {
    TestRequest r;
    const std::string key = std::to_string(below(3));
    const algo::Numbers& n = numbers_[below(numbers_.size())];
    for (std::uint64_t i = 1 + below(2); i > 0; --i) {
      r.charges.push_back(twins_.charge(1, key, n, 1 + below(below(4) == 0 ? n.burst : 3)));
      r.charges.back().shadow = below(6) == 0;
    }
    r.peek = below(10) == 0;
    r.refund = below(10) == 0;
    return r;
  }

  // A key that is over by the script's clock goes; the others live until then.
  void expire(const std::string& key) {
    const auto at = ends_ms_.find(key);
    if (at == ends_ms_.end()) return;
    const long long left = at->second - now_ms();
    if (left <= 0) {
      twins_.client().command({"DEL", key});
      ends_ms_.erase(at);
    } else {
      twins_.client().command({"PEXPIRE", key, std::to_string(left)});
    }
  }

  // What the call has left of a key: a new time to live, the one it had, or no key. A value that
  // was written must lie within the law.
  void judge(const std::string& key, const std::string& before) {
    const long long ttl = twins_.client().integer({"PTTL", key});
    if (ttl == -2) {
      ends_ms_.erase(key);
      return;
    }
    ASSERT_GT(ttl, 0);
    const bool written = twins_.client().text({"GET", key}) != before;
    const auto at = ends_ms_.find(key);
    const long long left = at == ends_ms_.end() ? 0 : at->second - now_ms();
    const bool same = ttl <= left && ttl + kSlackMs > left;
    if (written) {
      ASSERT_LE(ttl, longest_ms_ + (same ? kEarlyMs : 0));
    }
    if (!same) ends_ms_[key] = now_ms() + ttl + kEarlyMs;
    writes_ += written ? 1 : 0;
    in_place_ += written && same ? 1 : 0;
  }

  long long now_ms() const { return static_cast<long long>(now_us_ / 1'000); }

  // One request by the script, with what must hold of its key before and after.
  Seen decide(const TestRequest& request) {
    const std::string key = twins_.key_name(request.charges[0]);
    expire(key);
    const std::string before = twins_.client().text({"GET", key});
    Batch batch;
    if (request.refund) {
      batch.add_refund(request.charges);
    } else {
      batch.add(request.charges, request.peek);
    }
    std::string command;
    batch.append_eval(command, charge_script(), "weir", true, now_us_);
    twins_.client().send(command);
    const Reply reply = twins_.client().read();
    const bool text = reply && reply->type == REDIS_REPLY_STRING;
    EXPECT_TRUE(text && batch.read_reply({reply->str, reply->len}));
    if (::testing::Test::HasFailure()) return {};
    judge(key, before);
    const auto outcomes = batch.outcomes(0);
    return {batch.admit(0), false, batch.now(), {outcomes.begin(), outcomes.end()}};
  }

  Twins twins_;
  std::mt19937_64 random_{20'261'201};
  std::vector<algo::Numbers> numbers_;
  std::map<std::string, long long> ends_ms_;
  long long longest_ms_ = 0;
  std::uint64_t now_us_ = kStartUs;
  int writes_ = 0;
  int in_place_ = 0;
};

TEST_P(TimeToLive, LosesNothingAndStaysWithinTheLaw) {
  for (int i = 0; i < 1'000; ++i) {
    if (below(3) != 0) now_us_ += random_step_us();
    const TestRequest request = random_request();
    const Seen want = twins_.memory({request}, now_us_)[0];
    const Seen got = decide(request);
    ASSERT_FALSE(HasFailure()) << i;
    if (request.refund) continue;
    ASSERT_EQ(got.admit, want.admit) << i;
    for (std::size_t j = 0; j < got.outcomes.size(); ++j) {
      ASSERT_EQ(got[j].remaining, want[j].remaining) << i << describe(request.charges[j]);
      ASSERT_EQ(got[j].reset, want[j].reset) << i << describe(request.charges[j]);
    }
  }
  EXPECT_GT(writes_, 200);
  EXPECT_GT(writes_ - in_place_, 30);
  EXPECT_GT(in_place_, 30);
}

// One step in five the clock is set back, by anything up to twice what a key may live.
TEST_P(TimeToLive, IsWithinTheLawAlsoAfterTheClockWasSetBack) {
  for (int i = 0; i < 600; ++i) {
    const std::uint64_t by = random_step_us();
    now_us_ = below(5) == 0 ? now_us_ - by : now_us_ + by;
    (void)decide(random_request());
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GT(writes_, 100);
}

// Redis stops the time of a script for what expires: a key that was there at its start still is
// when it is written, and goes afterwards, or it would be written anew and live for ever.
TEST(RedisTimeToLive, AKeyThatExpiresWhileTheScriptRunsIsNotLeftForEver) {
  Twins twins;
  const algo::Numbers numbers = bucket(1'000'000, hours(1), 1'000'000);
  const store::Charge c = twins.charge(1, "k", numbers);
  const std::string key = twins.key_name(c);
  Batch batch;  // takes about a millisecond, and charges the key last
  std::vector<store::Charge> others;
  for (std::size_t i = 0; i < store::kMaxCharges; ++i) {
    others.push_back(twins.charge(2, std::to_string(i), numbers));
  }
  for (std::size_t i = 1; i < Batch::kMostRequests; ++i) batch.add(others, false);
  batch.add({&c, 1}, false);
  std::string command;
  batch.append_eval(command, charge_script(), "weir", true, std::nullopt);
  RedisClient& client = twins.client();
  std::mt19937_64 random{20'261'205};
  std::uniform_int_distribution<int> below_3ms(0, 2'999);
  int gone = 0;
  // However fast the server is, one of these starts just before the key's end: the script is sent
  // 0 to 3 ms after the key was given 2 ms.
  for (int i = 0; i < 5'000 && gone < 3; ++i) {
    client.command({"DEL", key});
    (void)twins.redis({{{c}}, {{c}}, {{c}}}, std::nullopt);
    client.command({"PEXPIRE", key, "2"});
    std::this_thread::sleep_for(std::chrono::microseconds(below_3ms(random)));
    client.send(command);
    client.send({"PTTL", key});
    const Reply reply = client.read();
    ASSERT_TRUE(reply && reply->type == REDIS_REPLY_STRING);
    const Reply ttl = client.read();
    ASSERT_NE(ttl->integer, -1) << i;
    ASSERT_TRUE(batch.read_reply({reply->str, reply->len}));
    // It was found as three charges had left it, charged, and is over.
    if (ttl->integer == -2 && batch.outcomes(batch.size() - 1)[0].remaining < 999'998) ++gone;
  }
  EXPECT_GT(gone, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, TimeToLive,
    ::testing::Values(Shared{"Nanosecond", {bucket(60, hours(1), 60), bucket(600, hours(1), 60)}},
                      Shared{"Grid", {bucket(7, hours(1), 20), bucket(700, hours(1), 1'000)}},
                      Shared{"Days", {bucket(1, days(1), 100), bucket(10, days(1), 100)}},
                      Shared{"WideGrid",
                             {bucket(7, days(1), 1'000), bucket(7'001, days(1), 99'999)}},
                      Shared{"AllKinds",
                             {bucket(60, hours(1), 60), bucket(7, hours(1), 20),
                              bucket(1, days(1), 100), bucket(7, days(1), 1'000)}},
                      Shared{"Leaky", {leaky(60, hours(1), 30), leaky(7, hours(1), 9)}},
                      Shared{"FixedWindow",
                             {window(Algorithm::fixed_window, 50, hours(1)),
                              window(Algorithm::fixed_window, 5, hours(1))}},
                      Shared{"FixedWindowFirst",
                             {window(Algorithm::fixed_window, 50, hours(1), Align::first),
                              window(Algorithm::fixed_window, 5, hours(1), Align::first)}},
                      Shared{"SlidingWindow",
                             {window(Algorithm::sliding_window, 50, hours(1)),
                              window(Algorithm::sliding_window, 5, hours(1))}},
                      Shared{"SlidingWindowFirst",
                             {window(Algorithm::sliding_window, 50, hours(1), Align::first),
                              window(Algorithm::sliding_window, 5, hours(1), Align::first)}}),
    [](const auto& shared) { return std::string(shared.param.name); });

}  // namespace
}  // namespace weir::redis::testing
