// The invariants I1 to I6 (docs/semantics.md) of one limit, on random traffic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algo/testing/counter.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

class Invariants : public ::testing::TestWithParam<Algorithm> {
 protected:
  // Calls `body` with fresh random numbers and a start, `runs` times.
  template <typename Body>
  void for_random_limits(std::uint64_t runs, Body body) {
    for (std::uint64_t seed = 0; seed < runs && !HasFailure(); ++seed) {
      Random random(seed);
      const Numbers n = random_numbers(random, GetParam());
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(n));
      body(random, n, Now{{random_start(random)}, 0});
    }
  }
};

// Net admitted cost by instant; the largest over every closed interval must be in the envelope.
class Ledger {
 public:
  void add(Instant at, std::int64_t cost) { net_[at.ns] += cost; }
  void expect_within(const Numbers& n) const {
    for (auto from = net_.begin(); from != net_.end(); ++from) {
      std::int64_t sum = 0;
      for (auto to = from; to != net_.end(); ++to) {
        sum += to->second;
        if (sum <= 0) continue;
        const Duration tau{to->first - from->first};
        ASSERT_LE(static_cast<std::uint64_t>(sum), envelope(n, tau))
            << "from " << from->first << " for " << tau.ns << " ns";
      }
    }
  }

 private:
  std::map<std::uint64_t, std::int64_t> net_;
};

std::uint64_t cost_for(Random& random, const Numbers& n) {
  return random.one_in(2) ? 1 : random.of_any_size(n.burst);
}

// Ahead to where something fits again, or anywhere; at times a tick early.
Now busy_later(Random& random, Counter& counter, Now now) {
  if (random.one_in(3)) return random_later(random, now, counter.numbers());
  const Duration wait = counter.peek(random.of_any_size(counter.numbers().burst), now).wait;
  const Now next = later(now, wait - nanoseconds(random.below(2)));
  return next.steady.ns > 4'000'000'000'000'000'000 ? now : next;
}

TEST_P(Invariants, I1NetAdmittedCostStaysInTheEnvelope) {
  for_random_limits(300, [](Random& random, const Numbers& n, Now now) {
    Counter counter(n);
    Ledger ledger;
    std::uint64_t net = 0;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t cost = cost_for(random, n);
      if (random.one_in(10) && net > 0) {
        const std::uint64_t back = std::min(cost, net);
        counter.refund(back, now);
        ledger.add(now.steady, -static_cast<std::int64_t>(back));
        net -= back;
      } else if (counter.charge(cost, now).admit) {
        ledger.add(now.steady, static_cast<std::int64_t>(cost));
        net += cost;
      }
      now = busy_later(random, counter, now);
    }
    ledger.expect_within(n);
  });
}

// The caller's instants come in any order; the store decides at the largest so far.
TEST_P(Invariants, I1HoldsForShuffledInstants) {
  for_random_limits(200, [](Random& random, const Numbers& n, Now start) {
    Counter counter(n);
    Ledger ledger;
    Now largest = start;
    for (int i = 0; i < 60; ++i) {
      const Now ahead = busy_later(random, counter, largest);
      const Now said{ahead.steady - Duration{random.of_any_size(n.period_ns)}, 0};
      largest.steady = std::max(largest.steady, said.steady);
      const std::uint64_t cost = cost_for(random, n);
      if (counter.charge(cost, largest).admit) {
        ledger.add(largest.steady, static_cast<std::int64_t>(cost));
      }
    }
    ledger.expect_within(n);
  });
}

TEST_P(Invariants, I2ADenialChangesNothing) {
  for_random_limits(200, [](Random& random, const Numbers& n, Now now) {
    Counter with(n);
    Counter without(n);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t cost = cost_for(random, n);
      const Outcome a = with.charge(cost, now);
      if (without.peek(cost, now).admit) {
        EXPECT_EQ(without.charge(cost, now).admit, a.admit);
      } else {
        EXPECT_FALSE(a.admit);
        EXPECT_EQ(with.state(), without.state());
      }
      ASSERT_EQ(with.peek(1, now).remaining, without.peek(1, now).remaining);
      now = busy_later(random, with, now);
    }
  });
}

TEST_P(Invariants, I3APeekAndCostZeroChargeNothing) {
  for_random_limits(200, [](Random& random, const Numbers& n, Now now) {
    Counter looked_at(n);
    Counter left_alone(n);
    for (int i = 0; i < 60; ++i) {
      looked_at.peek(random.of_any_size(base::kMaxU64), now);
      EXPECT_TRUE(looked_at.charge(0, now).admit);
      EXPECT_TRUE(looked_at.peek(0, now).admit);
      const std::uint64_t cost = cost_for(random, n);
      const Outcome peeked = looked_at.peek(cost, now);
      const Outcome a = looked_at.charge(cost, now);
      const Outcome b = left_alone.charge(cost, now);
      EXPECT_EQ(peeked.admit, a.admit);
      ASSERT_EQ(a.admit, b.admit);
      ASSERT_EQ(a.remaining, b.remaining);
      ASSERT_EQ(looked_at.state(), left_alone.state());
      now = busy_later(random, left_alone, now);
    }
  });
}

TEST_P(Invariants, I4TheWaitIsExactToTheNanosecond) {
  for_random_limits(300, [](Random& random, const Numbers& n, Now now) {
    Counter counter(n);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t cost = cost_for(random, n);
      const Outcome out = counter.charge(cost, now);
      if (!out.admit) {
        ASSERT_GT(out.wait.ns, 0u);
        Counter early = counter;
        Counter due = counter;
        ASSERT_FALSE(early.charge(cost, later(now, out.wait - nanoseconds(1))).admit);
        ASSERT_TRUE(due.charge(cost, later(now, out.wait)).admit);
      }
      now = busy_later(random, counter, now);
    }
  });
}

TEST_P(Invariants, I5EveryWriteLivesAWhileAndNotForEver) {
  for_random_limits(300, [](Random& random, const Numbers& n, Now now) {
    Counter counter(n);
    const bool bucket =
        n.algorithm == Algorithm::token_bucket || n.algorithm == Algorithm::leaky_bucket;
    const Duration once{bucket ? base::mul_div_ceil(n.burst, n.period_ns, n.count) : n.period_ns};
    const Duration most = std::max(once + once, seconds(1));
    for (int i = 0; i < 60; ++i) {
      if (counter.charge(cost_for(random, n), now).admit) {
        const Duration ttl = counter.full_at(now) - now.steady;
        ASSERT_GT(ttl.ns, 0u);
        ASSERT_LE(ttl, most);
      }
      now = busy_later(random, counter, now);
    }
  });
}

// The instant that a store is told at the last write, and what it would be told at a later read.
TEST_P(Invariants, I5AStateThatEqualsFullCanBeForgotten) {
  for_random_limits(300, [](Random& random, const Numbers& n, Now now) {
    Counter kept(n);
    Counter forgetful(n);
    Instant full_at;
    for (int i = 0; i < 80; ++i) {
      const bool at_write = random.one_in(2);
      if ((at_write ? full_at : forgetful.full_at(now)) <= now.steady) forgetful.forget();
      const std::uint64_t cost = cost_for(random, n);
      if (random.one_in(10)) {
        kept.refund(cost, now);
        forgetful.refund(cost, now);
      }
      const Outcome a = kept.charge(cost, now);
      const Outcome b = forgetful.charge(cost, now);
      full_at = forgetful.full_at(now);
      ASSERT_EQ(a.admit, b.admit) << "step " << i;
      ASSERT_EQ(a.remaining, b.remaining) << "step " << i;
      ASSERT_EQ(a.wait, b.wait) << "step " << i;
      ASSERT_EQ(a.reset, b.reset) << "step " << i;
      now = busy_later(random, kept, now);
    }
  });
}

// That many requests alike, at once and alone, are admitted, and not one more.
TEST_P(Invariants, I6RemainingIsWhatIsAdmittedAtOnce) {
  for_random_limits(300, [](Random& random, const Numbers& n, Now now) {
    Counter counter(n);
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t cost = cost_for(random, n);
      const Duration max_delay =
          random.one_in(2) ? kAnyDelay : Duration{random.below(2) * random.below(n.period_ns)};
      const Outcome out = counter.peek(cost, now, max_delay);
      ASSERT_LE(out.remaining, out.limit);
      const std::uint64_t expected = out.remaining / cost;
      if (expected <= 200) {
        Counter copy = counter;
        std::uint64_t admitted = 0;
        while (copy.charge(cost, now, max_delay).admit) ++admitted;
        ASSERT_EQ(admitted, expected);
      }
      counter.charge(cost, now, max_delay);
      now = busy_later(random, counter, now);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllAlgorithms, Invariants,
                         ::testing::Values(Algorithm::token_bucket, Algorithm::leaky_bucket,
                                           Algorithm::fixed_window, Algorithm::sliding_window,
                                           Algorithm::sliding_log),
                         [](const auto& p) { return std::string(name(p.param)); });

}  // namespace
}  // namespace weir::algo::testing
