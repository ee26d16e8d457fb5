// For tests: one counter of any algorithm, kept as a store keeps it, and short ways to make
// numbers.
//
//   Counter c(token_bucket(5, seconds(1), 10));
//   EXPECT_TRUE(c.charge(8, at(seconds(0))).admit);
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "algo/log.h"
#include "algo/numbers.h"
#include "algo/step.h"

namespace weir::algo::testing {

inline Numbers must(Result<Numbers> numbers) {
  if (!numbers) {
    std::cerr << numbers.error().text() << "\n";
    std::abort();
  }
  return *numbers;
}
inline Numbers token_bucket(std::uint64_t count, Duration period, std::uint64_t burst) {
  return must(make_token_bucket(count, period, burst));
}
inline Numbers leaky_bucket(std::uint64_t count, Duration period, std::uint64_t queue,
                            Duration max_wait = Duration::max()) {
  return must(make_leaky_bucket(count, period, queue, max_wait));
}
inline Numbers fixed_window(std::uint64_t limit, Duration window, Align align = Align::epoch) {
  return must(make_window(Algorithm::fixed_window, limit, window, align));
}
inline Numbers sliding_window(std::uint64_t limit, Duration window, Align align = Align::epoch) {
  return must(make_window(Algorithm::sliding_window, limit, window, align));
}
inline Numbers sliding_log(std::uint64_t limit, Duration window) {
  return must(make_window(Algorithm::sliding_log, limit, window));
}

// A steady instant, wall time being the same (offset 0).
inline Now at(Duration since_zero) { return {{since_zero.ns}, 0}; }
inline Now later(Now now, Duration by) { return {now.steady + by, now.wall_offset_ns}; }

class Counter {
 public:
  explicit Counter(const Numbers& numbers) : numbers_(numbers) {}

  Outcome charge(std::uint64_t cost, Now now, Duration max_delay = kAnyDelay) {
    if (logged()) return log_.charge(numbers_, cost, now);
    const Step step = algo::charge(numbers_, state_, cost, now, max_delay);
    state_ = step.next;
    return step.outcome;
  }
  Outcome peek(std::uint64_t cost, Now now, Duration max_delay = kAnyDelay) {
    if (logged()) return log_.peek(numbers_, cost, now);
    return algo::peek(numbers_, state_, cost, now, max_delay);
  }
  void refund(std::uint64_t cost, Now now) {
    if (logged()) return log_.refund(numbers_, cost, now);
    state_ = algo::refund(numbers_, state_, cost, now);
  }
  Instant full_at(Now now) const {
    return logged() ? log_.full_at(numbers_) : algo::full_at(numbers_, state_, now);
  }
  // How many of `tries` charges are admitted at one instant.
  std::uint64_t hammer(std::uint64_t tries, Now now) {
    std::uint64_t admitted = 0;
    for (std::uint64_t i = 0; i < tries; ++i) admitted += charge(1, now).admit;
    return admitted;
  }
  // Other numbers for the same state: a tier, an override, a reload.
  void reread(const Numbers& numbers) { numbers_ = numbers; }
  // What a table does with an entry that equals full.
  void forget() {
    state_ = {};
    log_ = {};
  }

  const Numbers& numbers() const { return numbers_; }
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }
  const Log& log() const { return log_; }

 private:
  bool logged() const { return numbers_.algorithm == Algorithm::sliding_log; }

  Numbers numbers_;
  State state_;
  Log log_;
};

}  // namespace weir::algo::testing
