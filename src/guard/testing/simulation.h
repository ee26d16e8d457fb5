// Many processes with prefetch on one server, in simulated time: how often the store is asked, and
// how much is admitted in the worst moment.
//
//   Result r = simulate({.numbers = numbers, .demand = 10'000});
//   r.calls_a_decision(), r.worst_burst
//
// The load is Poisson and skewed: process i is asked 1/(i+1) as often as the first. Everything is
// the code that serves, but for the network and the clock. Deterministic.
#pragma once

#include <cstdint>

#include "algo/numbers.h"
#include "weir/clock.h"

namespace weir::guard::testing {

struct Scene {
  algo::Numbers numbers;
  std::uint64_t demand = 10'000;  // requests a second of all processes together
  unsigned processes = 8;
  Duration length = seconds(2);
  Duration way = microseconds(250);  // to the server, and back
  Duration warm_up = milliseconds(300);
  bool prefetch = true;
};

struct Result {
  std::uint64_t decisions = 0;
  std::uint64_t admitted = 0;
  std::uint64_t failed = 0;
  std::uint64_t calls = 0;    // commands to the store, returns of unspent tokens included
  std::uint64_t returns = 0;  // of these
  // The smallest bucket of the same rate that all admissions would have passed: what the worst
  // window has above rate x window. The limit's own burst, where nothing is prefetched.
  std::uint64_t worst_burst = 0;
  std::uint64_t longest_wait_us = 0;  // for an answer

  double calls_a_decision() const {
    return static_cast<double>(calls) / static_cast<double>(decisions);
  }
};

Result simulate(const Scene& scene);

}  // namespace weir::guard::testing
