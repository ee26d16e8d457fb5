// Asks a Redis whether it can keep limits: what `weir store check` prints.
//
//   for (const ProbeFinding& f : probe(options, {.step = seconds(2)})) print(f.what, f.value);
//
// One connection of its own, closed afterwards; blocks, at most `step` for each question. What the
// server does not let this user ask is `unknown`, never an error. Writes one key under the prefix,
// of a random name and with a time to live of a second, and deletes it. Findings never hold the
// user or the password. Any thread; nothing is shared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/options.h"
#include "weir/clock.h"

namespace weir::redis {

enum class Grade : std::uint8_t {
  ok,
  info,     // good to know, nothing is wrong
  unknown,  // the server does not say
  warning,  // limits are kept now and may not be later
  error,    // limits are not kept
};
std::string_view name(Grade grade);

struct ProbeFinding {
  std::string what;  // a word: connect, login, role, eviction, ...
  Grade grade = Grade::ok;
  std::string value;
  std::string advice;  // empty: nothing to do
};

struct ProbeLimits {
  Duration step = seconds(2);  // for each question
  unsigned instances = 1;      // of weir on this store
};

// In the order in which it asks; it ends early where the server cannot be asked any further.
std::vector<ProbeFinding> probe(const Options& options, const ProbeLimits& limits);

}  // namespace weir::redis
