// The 64 bits of a window's state: its ordinal and its count, split by the window alone.
//
// The split depends on nothing but the window, so a state can be re-read under a raised or lowered
// limit. A count never exceeds min(2^53, window_ns), because limits are at most 2^53 and one a
// nanosecond; it gets two bits more than the window's own width, at most 53 (54 where a limit may
// be 2^53 itself): 1 s 32/32, 1 h 20/44, a month 11/53.
//
// The ordinal is kept modulo 2^(64 - count bits), which comes round after 2^61 to 2^63 ns of wall
// time. The nearer way round decides: up to half of that (36 years or more) behind is past and
// expired, ahead is a wall clock that was stepped back. A state is dead after two windows, so an
// alias would take an entry that lay untouched for 36 years; read as "from the future" it would
// count as the current window, for one window at most, as after any step of the clock (a denial
// stores the clamped ordinal). It can deny for that window and never admits more.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "weir/decision.h"

namespace weir::algo {

struct Packed {
  std::uint64_t ordinal = 0;
  std::uint64_t count = 0;
};

class Split {
 public:
  explicit constexpr Split(std::uint64_t window_ns)
      : count_bits_(window_ns >= kMaxCount
                        ? 54
                        : std::min(53, static_cast<int>(std::bit_width(window_ns)) + 2)) {}

  constexpr int count_bits() const { return count_bits_; }
  constexpr int ordinal_bits() const { return 64 - count_bits_; }

  constexpr std::uint64_t pack(std::uint64_t ordinal, std::uint64_t count) const {
    return (ordinal << count_bits_) | count;
  }
  constexpr Packed unpack(std::uint64_t word) const {
    return {word >> count_bits_, word & ((std::uint64_t{1} << count_bits_) - 1)};
  }
  // How many windows `stored` lies behind `current`; negative: ahead.
  constexpr std::int64_t behind(std::uint64_t current, std::uint64_t stored) const {
    const auto up = static_cast<std::int64_t>((current - stored) << count_bits_);
    return up >> count_bits_;
  }

 private:
  int count_bits_;
};

}  // namespace weir::algo
