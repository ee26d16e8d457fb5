// Time as weir counts it: whole nanoseconds in 64 unsigned bits, saturating, never wrapping.
//
// An Instant is a point on a store's clock, which never goes back (BOOTTIME: it counts suspend, and
// no administrator can set it). Wall time is that clock plus an offset, and only what is aligned to
// the calendar sees it. Everything in weir is *given* the time as a `Now`; only the composition
// roots (the library facade, the server, the command line) read a clock, once a decision.
//
//   weir::ManualClock clock;            // tests
//   clock.advance(weir::seconds(30));
//
// Thread-safety: Duration, Instant and Now are values; each Clock says for itself.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>

namespace weir {

// A length of time: 0 ns to 584 years. Duration::max() stands for "never".
struct Duration {
  std::uint64_t ns = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  static constexpr Duration max() { return {std::numeric_limits<std::uint64_t>::max()}; }

  // Whole seconds, rounded up: what Retry-After and the RateLimit fields carry.
  constexpr std::uint64_t seconds_up() const {
    return ns / 1'000'000'000 + (ns % 1'000'000'000 != 0);
  }
  constexpr std::uint64_t milliseconds_up() const { return ns / 1'000'000 + (ns % 1'000'000 != 0); }
  // Saturates at the 292 years that std::chrono::nanoseconds holds.
  constexpr std::chrono::nanoseconds to_chrono() const {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ns < kMost ? ns : kMost));
  }
};

namespace detail {
constexpr std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}
constexpr std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t r = 0;
  return __builtin_add_overflow(a, b, &r) ? std::numeric_limits<std::uint64_t>::max() : r;
}
constexpr std::uint64_t saturating_sub(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}
}  // namespace detail

constexpr Duration nanoseconds(std::uint64_t n) { return {n}; }
constexpr Duration microseconds(std::uint64_t n) { return {detail::saturating_mul(n, 1'000)}; }
constexpr Duration milliseconds(std::uint64_t n) { return {detail::saturating_mul(n, 1'000'000)}; }
constexpr Duration seconds(std::uint64_t n) { return {detail::saturating_mul(n, 1'000'000'000)}; }
constexpr Duration minutes(std::uint64_t n) { return seconds(detail::saturating_mul(n, 60)); }
constexpr Duration hours(std::uint64_t n) { return seconds(detail::saturating_mul(n, 3'600)); }
constexpr Duration days(std::uint64_t n) { return seconds(detail::saturating_mul(n, 86'400)); }

constexpr Duration operator+(Duration a, Duration b) {
  return {detail::saturating_add(a.ns, b.ns)};
}
// Never below zero.
constexpr Duration operator-(Duration a, Duration b) {
  return {detail::saturating_sub(a.ns, b.ns)};
}

// A point on a clock, in nanoseconds since that clock's own zero.
struct Instant {
  std::uint64_t ns = 0;

  friend constexpr auto operator<=>(Instant, Instant) = default;
};

constexpr Instant operator+(Instant t, Duration d) { return {detail::saturating_add(t.ns, d.ns)}; }
// Never below the clock's zero.
constexpr Instant operator-(Instant t, Duration d) { return {detail::saturating_sub(t.ns, d.ns)}; }
// Zero when `b` is the later one.
constexpr Duration operator-(Instant a, Instant b) { return {detail::saturating_sub(a.ns, b.ns)}; }

// The one instant of a decision.
struct Now {
  Instant steady;                   // the store's clock
  std::int64_t wall_offset_ns = 0;  // Unix time = steady + offset

  // Unix time; the epoch itself where the sum would lie before it.
  constexpr Instant wall() const {
    return wall_offset_ns >= 0
               ? steady + Duration{static_cast<std::uint64_t>(wall_offset_ns)}
               : steady - Duration{std::uint64_t{0} - static_cast<std::uint64_t>(wall_offset_ns)};
  }
};

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Now now() = 0;
};

// CLOCK_BOOTTIME, with the wall offset re-read once a second. Thread-safe; about 25 ns a call.
class SystemClock final : public Clock {
 public:
  Now now() override;

 private:
  std::atomic<std::uint64_t> offset_read_at_ns_{0};
  std::atomic<std::int64_t> wall_offset_ns_{0};
};

// A clock that tests move by hand. Not synchronised beyond atomicity of one call.
class ManualClock final : public Clock {
 public:
  // `wall` is the Unix time at the clock's start.
  explicit ManualClock(Instant wall = {}, Instant steady = {})
      : steady_ns_(steady.ns), offset_ns_(static_cast<std::int64_t>(wall.ns - steady.ns)) {}

  Now now() override { return {{steady_ns_.load()}, offset_ns_.load()}; }
  void advance(Duration d) { steady_ns_.store((Instant{steady_ns_.load()} + d).ns); }
  // Moves wall time alone, as an administrator or NTP does.
  void step_wall(std::int64_t by_ns) { offset_ns_.fetch_add(by_ns); }

 private:
  std::atomic<std::uint64_t> steady_ns_;
  std::atomic<std::int64_t> offset_ns_;
};

}  // namespace weir
