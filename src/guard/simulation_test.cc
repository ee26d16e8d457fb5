// What prefetch saves and what it can cost, over eight processes with a skewed load: the numbers
// that P13 is held to, on shorter runs.
#include <gtest/gtest.h>

#include "algo/prefetch.h"
#include "guard/testing/simulation.h"
#include "store/testing/lab.h"

namespace weir::guard::testing {
namespace {

using store::testing::bucket;

struct Case {
  const char* name;
  std::uint64_t rate;    // of the limit, and its burst
  std::uint64_t demand;  // of everybody
  double calls;          // a decision, at most
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Simulated : public ::testing::TestWithParam<Case> {};

TEST_P(Simulated, AsksTheStoreSeldomAndAdmitsWithinTheBound) {
  const Case& c = GetParam();
  const algo::Numbers numbers = bucket(c.rate, seconds(1), c.rate);
  const Result r = simulate({.numbers = numbers, .demand = c.demand});
  std::printf(
      "%s: %.4f calls a decision (%llu returns), %llu of %llu admitted, worst burst %llu, "
      "longest wait %llu us\n",
      c.name, r.calls_a_decision(), static_cast<unsigned long long>(r.returns),
      static_cast<unsigned long long>(r.admitted), static_cast<unsigned long long>(r.decisions),
      static_cast<unsigned long long>(r.worst_burst),
      static_cast<unsigned long long>(r.longest_wait_us));
  EXPECT_EQ(r.failed, 0u);
  EXPECT_LE(r.calls_a_decision(), c.calls);
  EXPECT_LE(r.worst_burst, c.rate + 8 * algo::most_prefetched(numbers));
  // Nobody waits longer than for two questions.
  EXPECT_LE(r.longest_wait_us, 1'600u);
  if (c.demand <= c.rate) {
    EXPECT_EQ(r.admitted, r.decisions);
  } else {
    // Two seconds of the rate and, at most, the burst; leases waste little of it.
    EXPECT_GE(r.admitted, 2 * c.rate * 95 / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, Simulated,
                         ::testing::Values(Case{"Of1k", 2'000, 1'000, 0.5},
                                           Case{"Of10k", 20'000, 10'000, 0.05},
                                           Case{"Of100k", 200'000, 100'000, 0.005},
                                           Case{"Of1kTenfold", 1'000, 10'000, 0.05},
                                           Case{"Of10kTenfold", 10'000, 100'000, 0.015}),
                         [](const auto& load) { return std::string(load.param.name); });

// Without it every decision is a call.
TEST(Simulation, OneCallADecisionWithoutPrefetch) {
  const Result r = simulate({.numbers = bucket(20'000, seconds(1), 20'000),
                             .demand = 10'000,
                             .length = milliseconds(500),
                             .prefetch = false});
  EXPECT_NEAR(r.calls_a_decision(), 1.0, 0.01);
}

}  // namespace
}  // namespace weir::guard::testing
