// The numbers that every field and body shows, computed once an answer.
//
// Counts are capped at 999,999,999,999,999 (a structured field holds 15 digits); seconds are
// rounded up. docs/http.md, "Numbers", says why each is what it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "answer/view.h"
#include "weir/clock.h"

namespace weir::answer {

inline constexpr std::uint64_t kMaxInteger = 999'999'999'999'999;

// One limit that has numbers: not `deny`, no missing key, no failed store.
struct Signal {
  const LimitView* limit = nullptr;
  std::uint64_t quota = 0;      // q
  std::uint64_t window_s = 1;   // w, at least 1
  std::uint64_t remaining = 0;  // r, at most q
  Duration span;                // t before rounding
  std::uint64_t reset_s = 1;    // t, at least 1
  bool never = false;           // the cost never fits: no t in a list

  std::uint64_t used() const { return quota - remaining; }
};

struct Signals {
  std::array<Signal, 16> items;  // in file order
  std::size_t count = 0;
  const Signal* governing = nullptr;  // null: none, or one without numbers
  const Signal* lowest = nullptr;     // what the drafts before 08 show
  std::uint64_t retry_after_s = 0;    // 0: no Retry-After

  Signals() = default;
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  std::span<const Signal> all() const { return {items.data(), count}; }
};

void fill(Signals& signals, const View& view);

// The denial's Retry-After with its jitter, at least 1; 0 where the request can never be admitted.
std::uint64_t retry_after_seconds(const View& view);

// Unix time `span` from now, in whole seconds rounded up.
std::uint64_t unix_seconds_after(const Now& now, Duration span);

}  // namespace weir::answer
