// What one decision costs, state in hand: no store, no hash, no clock.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "algo/testing/counter.h"

namespace weir::algo::testing {
namespace {

// Requests `gap` apart: a gap above the pace admits all of them, one below denies most.
void decide(benchmark::State& state, const Numbers& numbers, Duration gap) {
  Counter counter(numbers);
  Now now = at(days(20'000));
  std::uint64_t admitted = 0;
  for (auto _ : state) {
    now.steady = now.steady + gap;
    const Outcome out = counter.charge(1, now);
    benchmark::DoNotOptimize(out);
    admitted += out.admit;
  }
  state.counters["admitted"] =
      benchmark::Counter(static_cast<double>(admitted), benchmark::Counter::kAvgIterations);
}

const Duration kAdmitted = milliseconds(11);  // all limits below are 100 a second
const Duration kDenied = microseconds(1);

BENCHMARK_CAPTURE(decide, token_bucket_admitted, token_bucket(100, seconds(1), 10), kAdmitted);
BENCHMARK_CAPTURE(decide, token_bucket_denied, token_bucket(100, seconds(1), 10), kDenied);
// 99 a second does not divide a second: the grid needs 128-bit products.
BENCHMARK_CAPTURE(decide, token_bucket_grid_admitted, token_bucket(99, seconds(1), 10), kAdmitted);
BENCHMARK_CAPTURE(decide, token_bucket_grid_denied, token_bucket(99, seconds(1), 10), kDenied);
BENCHMARK_CAPTURE(decide, leaky_bucket_admitted, leaky_bucket(100, seconds(1), 9), kAdmitted);
BENCHMARK_CAPTURE(decide, leaky_bucket_denied, leaky_bucket(100, seconds(1), 9), kDenied);
BENCHMARK_CAPTURE(decide, fixed_window_admitted, fixed_window(100, seconds(1)), kAdmitted);
BENCHMARK_CAPTURE(decide, fixed_window_denied, fixed_window(100, seconds(1)), kDenied);
BENCHMARK_CAPTURE(decide, sliding_window_admitted, sliding_window(100, seconds(1)), kAdmitted);
BENCHMARK_CAPTURE(decide, sliding_window_denied, sliding_window(100, seconds(1)), kDenied);
BENCHMARK_CAPTURE(decide, sliding_log_admitted, sliding_log(100, seconds(1)), kAdmitted);
BENCHMARK_CAPTURE(decide, sliding_log_denied, sliding_log(100, seconds(1)), kDenied);
BENCHMARK_CAPTURE(decide, sliding_log_large_admitted, sliding_log(1'000'000, seconds(10'000)),
                  kAdmitted);

}  // namespace
}  // namespace weir::algo::testing

BENCHMARK_MAIN();
