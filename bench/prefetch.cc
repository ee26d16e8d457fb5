// P13: how often the store is asked with `prefetch: true`, over eight processes with a skewed load,
// and what is admitted in the worst moment. Simulated time, so nothing of it depends on the
// machine.
//
// Prints a JSON object: for each load the questions and returns a decision, the least bucket that
// all admissions would have passed, and the bound that `weir explain` prints.
#include <cstdio>

#include "algo/numbers.h"
#include "algo/prefetch.h"
#include "guard/testing/simulation.h"

namespace {

using namespace weir;  // NOLINT: a program of one file
using guard::testing::simulate;

struct Load {
  const char* name;
  std::uint64_t rate;    // of the limit, a second, and its burst
  std::uint64_t demand;  // of all processes
};

}  // namespace

int main() {
  constexpr Load kLoads[] = {{"100k", 200'000, 100'000},
                             {"10k", 20'000, 10'000},
                             {"1k", 2'000, 1'000},
                             {"10k_overload", 10'000, 100'000},
                             {"1k_overload", 1'000, 10'000}};
  constexpr unsigned kProcesses = 8;
  const char* comma = "{";
  for (const Load& load : kLoads) {
    const auto numbers = algo::make_token_bucket(load.rate, seconds(1), load.rate);
    if (!numbers) return 1;
    const guard::testing::Result r = simulate({.numbers = *numbers,
                                               .demand = load.demand,
                                               .processes = kProcesses,
                                               .length = seconds(5)});
    const auto bound = load.rate + kProcesses * algo::most_prefetched(*numbers);
    std::printf(
        "%s\"%s\": {\"calls\": %.5f, \"admitted\": %llu, \"decisions\": %llu, "
        "\"worst\": %llu, \"bound\": %llu, \"burst\": %llu}",
        comma, load.name, r.calls_a_decision(), static_cast<unsigned long long>(r.admitted),
        static_cast<unsigned long long>(r.decisions),
        static_cast<unsigned long long>(r.worst_burst), static_cast<unsigned long long>(bound),
        static_cast<unsigned long long>(load.rate));
    comma = ",\n ";
  }
  std::printf("}\n");
}
