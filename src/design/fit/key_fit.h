// One token bucket for all keys of a log: what most of them need, with headroom, in round numbers,
// and what it would have rejected, in the log and in its last third when fitted to the rest.
//
//   const KeyFit fit = fit_keys(traces, {.quantile = 0.99, .horizon_s = 60});
//   fit.rate (units a second), fit.burst, fit.in_sample.hurt_keys ...
//
// Abusers are left out by the caller: no limit is fitted to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "design/fit/trace.h"

namespace weir::design {

struct KeyFitOptions {
  double quantile = 0.99;  // of the keys, that must not be rejected once
  double horizon_s = 60;   // for how long the backend must stand the worst of one key
  double headroom = 1.25;  // on rate and burst; 1: none
};

// A rate as people write it: `count` units every `per_s` seconds (1, 60 or 3600).
struct NiceRate {
  std::uint64_t count = 0;
  std::uint32_t per_s = 1;

  double units_a_second() const { return static_cast<double>(count) / per_s; }
};

// The least that is not below, of 1, 2, 3, 5, 6 times a power of ten a second, a minute or an hour;
// of those within a tenth of the least, the one with the shortest time.
NiceRate nice_rate(double units_a_second);

struct Effect {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t keys = 0;
  std::uint64_t hurt_keys = 0;  // rejected at least once

  double rejected_share() const {
    return requests == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(requests);
  }
};

Effect effect(std::span<const Trace> keys, double rate, double burst);

struct KeyFit {
  NiceRate rate;
  std::uint64_t burst = 0;
  double needed_rate = 0;   // before headroom and rounding
  double needed_burst = 0;  // of the quantile's bound at that rate
  // False: too few keys for a bound with 95 %; the most demanding key stands for it.
  bool bounded = false;
  Effect in_sample;
  // Fitted to the first two thirds of the time, asked with the last.
  Effect out_of_sample;
  // Out of sample it rejects no more than twice what it does in sample, or a thousandth.
  bool holds = false;
};

// Keys without requests do not count. All empty: a rate of 0.
KeyFit fit_keys(std::span<const Trace> keys, const KeyFitOptions& options);

}  // namespace weir::design
