// The limits that the library enforces, as plain values: what they are called in a policy file,
// with the same numbers and the same meaning (docs/semantics.md).
//
//   weir::TokenBucket{.rate = weir::per_second(10), .burst = 20}
//   weir::FixedWindow{.limit = 1'000, .window = 1h}
//   weir::LeakyBucket{.rate = weir::per_second(5), .queue = 20, .max_wait = 2s}
//
// Units: counts are whole units of the caller's own (requests, points, bytes), up to 2^53; periods
// and windows are std::chrono durations above zero. Numbers are checked where a limit is used
// (Limiter, LimitSet, PreparedLimit); 0 is refused, not taken for "none" or "unlimited".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "weir/decision.h"
#include "weir/result.h"

namespace weir {

// `count` in every `period`.
struct Rate {
  std::uint64_t count = 0;
  std::chrono::nanoseconds period{0};
};

constexpr Rate rate(std::uint64_t count, std::chrono::nanoseconds period) {
  return {count, period};
}
constexpr Rate per_second(std::uint64_t count) { return {count, std::chrono::seconds(1)}; }
constexpr Rate per_minute(std::uint64_t count) { return {count, std::chrono::minutes(1)}; }
constexpr Rate per_hour(std::uint64_t count) { return {count, std::chrono::hours(1)}; }
constexpr Rate per_day(std::uint64_t count) { return {count, std::chrono::hours(24)}; }

// Refills steadily, holds `burst`. In any length of time at most burst + rate * time.
struct TokenBucket {
  Rate rate;
  std::optional<std::uint64_t> burst = std::nullopt;  // the rate's count where none is given
};

// `limit` in each window; twice that around a boundary.
struct FixedWindow {
  std::uint64_t limit = 0;
  std::chrono::nanoseconds window{0};
  Align align = Align::epoch;
};

// An estimate from two windows: the last one fades out as the new one goes on.
struct SlidingWindow {
  std::uint64_t limit = 0;
  std::chrono::nanoseconds window{0};
  Align align = Align::epoch;
};

// Never more than `limit` in any window, at 16 bytes for each charge that counts.
struct SlidingLog {
  std::uint64_t limit = 0;
  std::chrono::nanoseconds window{0};
};

// A queue: what does not go at once waits its turn (`delay`), at most `queue` of it and at most
// `max_wait` long.
struct LeakyBucket {
  Rate rate;
  std::uint64_t queue = 0;
  std::optional<std::chrono::nanoseconds> max_wait = std::nullopt;
};

using Limit = std::variant<TokenBucket, FixedWindow, SlidingWindow, SlidingLog, LeakyBucket>;

// A limit whose numbers were checked, ready to be given with each call: a customer's own numbers.
//
//   auto pro = weir::PreparedLimit::make(weir::TokenBucket{.rate = weir::per_second(100)});
//   if (!pro) return pro.error();
//   limiter.charge("user:42", 1, *pro);
//
// A counter stays the same when only its numbers change; under another algorithm, window or
// alignment a key has another counter, which starts full. A value; cheap to copy; never changes.
class PreparedLimit {
 public:
  static Result<PreparedLimit> make(const Limit& limit);

  // The numbers as the library keeps them, for its own use.
  static constexpr std::size_t kBytes = 72;
  const std::byte* bytes() const { return bytes_; }

 private:
  PreparedLimit() = default;
  alignas(std::uint64_t) std::byte bytes_[kBytes];
};

}  // namespace weir
