// Every algorithm against its model, on random numbers over the whole range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "algo/testing/counter.h"
#include "algo/testing/model.h"
#include "algo/testing/random.h"

namespace weir::algo::testing {
namespace {

class AgainstTheModel : public ::testing::TestWithParam<Algorithm> {};

struct Timeline {
  Numbers numbers;
  Counter counter;
  std::unique_ptr<Model> model;
  Now now;

  Timeline(const Numbers& n, Now start)
      : numbers(n), counter(n), model(model_of(n, start.wall_offset_ns)), now(start) {}
};

// I4, exactly: the cost fits after the wait and not one nanosecond earlier.
void check_wait(const Timeline& run, const Outcome& out, std::uint64_t cost, Duration max_delay) {
  const Int now = run.now.steady.ns;
  const Int asked = std::max<std::uint64_t>(cost, 1);
  const Int wait = out.wait.ns;
  if (asked > run.model->limit()) {
    EXPECT_EQ(out.wait, Duration::max());
    return;
  }
  EXPECT_TRUE(run.model->fits(asked, now + wait, max_delay.ns)) << "wait " << wait;
  if (wait > 0) {
    EXPECT_FALSE(run.model->fits(asked, now + wait - 1, max_delay.ns)) << "wait " << wait;
  }
}

void check_reset(const Timeline& run, const Outcome& out) {
  const Int now = run.now.steady.ns;
  const Int reset = out.reset.ns;
  if (run.numbers.algorithm == Algorithm::fixed_window) {
    const auto& model = static_cast<const WindowModel&>(*run.model);
    EXPECT_EQ(now + reset, model.end(now));
    return;
  }
  EXPECT_TRUE(run.model->full(now + reset)) << "reset " << reset;
  if (reset > 0) {
    EXPECT_FALSE(run.model->full(now + reset - 1)) << "reset " << reset;
  }
}

// A bound on the delay lowers `remaining` (bucket.h): checked as I6 in properties_test.cc.
bool unbounded(const Numbers& n, Duration max_delay) {
  return n.algorithm != Algorithm::leaky_bucket ||
         (n.max_wait_ns == Duration::max().ns && max_delay == Duration::max());
}

void check_counters(const Timeline& run, const Outcome& out, std::uint64_t cost,
                    Duration max_delay) {
  EXPECT_EQ(Int(out.limit), run.model->limit());
  if (unbounded(run.numbers, max_delay)) {
    EXPECT_EQ(Int(out.remaining), run.model->remaining(run.now.steady.ns));
  }
  check_wait(run, out, cost, max_delay);
  check_reset(run, out);
}

std::uint64_t random_cost(Random& random, const Numbers& n) {
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return n.burst;
    case 2:
      return n.burst + 1;
    case 3:
      return random.of_any_size(base::kMaxU64);
    case 4:
      return 1;
    default:
      return random.of_any_size(n.burst);
  }
}

void peek_or_charge(Timeline& run, Random& random) {
  const std::uint64_t cost = random_cost(random, run.numbers);
  const Duration max_delay = random.one_in(3) ? Duration{random.below(3)} : kAnyDelay;
  const Int now = run.now.steady.ns;
  const bool fits = cost == 0 || run.model->fits(cost, now, max_delay.ns);
  const bool peek = random.one_in(4);
  const Int delay = cost == 0 || !fits ? Int(0) : run.model->delay(now);
  const Outcome out = peek ? run.counter.peek(cost, run.now, max_delay)
                           : run.counter.charge(cost, run.now, max_delay);
  ASSERT_EQ(out.admit, fits) << (peek ? "peek " : "charge ") << cost;
  EXPECT_EQ(Int(out.delay.ns), delay);
  EXPECT_EQ(out.reason, fits                             ? Reason::admitted
                        : Int(cost) > run.model->limit() ? Reason::cost_exceeds_limit
                                                         : Reason::limit_exceeded);
  if (fits && !peek && cost != 0) run.model->charge(cost, now);
  check_counters(run, out, cost, max_delay);
}

void refund(Timeline& run, Random& random) {
  const std::uint64_t cost = random_cost(random, run.numbers);
  run.counter.refund(cost, run.now);
  run.model->refund(cost, run.now.steady.ns);
}

// To where something is about to happen: what the last verdict announced, give or take a tick.
void move(Timeline& run, Random& random) {
  if (random.one_in(2)) {
    run.now = random_later(random, run.now, run.numbers);
    return;
  }
  const Outcome out = run.counter.peek(random.of_any_size(run.numbers.burst), run.now);
  const Duration ahead = random.one_in(2) ? out.wait : out.reset;
  const Now next = later(run.now, ahead - nanoseconds(1) + nanoseconds(random.below(3)));
  if (next.steady.ns < 4'000'000'000'000'000'000) run.now = next;
}

TEST_P(AgainstTheModel, DecidesTheSameOnRandomTimelines) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const std::uint64_t start = random_start(random);
    const auto offset = random.one_in(2) ? std::int64_t{1'764'460'800'000'000'000} : 0;
    Timeline run(random_numbers(random, GetParam()), {{start}, offset});
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(run.numbers));
    for (int i = 0; i < 60; ++i) {
      SCOPED_TRACE("step " + std::to_string(i) + " at " + std::to_string(run.now.steady.ns));
      if (random.one_in(8)) {
        refund(run, random);
      } else {
        peek_or_charge(run, random);
      }
      if (HasFailure()) return;
      move(run, random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllAlgorithms, AgainstTheModel,
                         ::testing::Values(Algorithm::token_bucket, Algorithm::leaky_bucket,
                                           Algorithm::fixed_window, Algorithm::sliding_window,
                                           Algorithm::sliding_log),
                         [](const auto& p) { return std::string(name(p.param)); });

// Never later than the ideal bucket, at most one unit (under 2 ns) earlier, nothing accumulates.
TEST(TokenBucket, IsTheIdealBucketToOneUnit) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const Numbers n = random_bucket(random, Algorithm::token_bucket);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(n));
    Counter counter(n);
    IdealBucket ideal(n);
    Now now{{random_start(random)}, 0};
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t cost = random.of_any_size(n.burst);
      const Int t = now.steady.ns;
      if (random.one_in(8)) {
        counter.refund(cost, now);
        ideal.refund(cost, t);
        continue;
      }
      const bool admit = counter.charge(cost, now).admit;
      if (ideal.fits(cost, t)) {
        ASSERT_TRUE(admit) << "later than the ideal";
      }
      if (admit) {
        ASSERT_TRUE(ideal.fits(cost, t + 2)) << "early by 2 ns or more";
        ideal.charge(cost, t);
      }
      const Duration wait = counter.peek(cost, now).wait;
      now = random.one_in(2) ? random_later(random, now, n) : later(now, wait - nanoseconds(1));
      if (now.steady.ns > 4'000'000'000'000'000'000) break;
    }
  }
}

}  // namespace
}  // namespace weir::algo::testing
