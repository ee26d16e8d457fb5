// a * b / d through a 128-bit product, rounded down or up, saturating at 2^64-1.
//
// Cost: one multiplication and one hardware division (no call into libgcc where x86-64 has `div`;
// a product of 64 bits takes the short division). d must not be 0. Values only; thread-safe.
//
//   mul_div_floor(now_ns, 7, 10)   // floor(now * 7 / 10), exact
#pragma once

#include <cstdint>
#include <limits>

namespace weir::base {

__extension__ typedef unsigned __int128 u128;

inline constexpr std::uint64_t kMaxU64 = std::numeric_limits<std::uint64_t>::max();

struct Division {
  std::uint64_t quotient = 0;  // 2^64-1 where it does not fit, with remainder 0
  std::uint64_t remainder = 0;
};

inline Division divide(u128 n, std::uint64_t d) {
  const auto high = static_cast<std::uint64_t>(n >> 64);
  const auto low = static_cast<std::uint64_t>(n);
  if (high == 0) return {low / d, low % d};
  if (high >= d) return {kMaxU64, 0};  // the quotient has more than 64 bits
#if defined(__x86_64__)
  Division r;
  // high < d, so `div` cannot fault.
  __asm__("divq %4" : "=a"(r.quotient), "=d"(r.remainder) : "0"(low), "1"(high), "rm"(d) : "cc");
  return r;
#else
  return {static_cast<std::uint64_t>(n / d), static_cast<std::uint64_t>(n % d)};
#endif
}

inline std::uint64_t mul_div_floor(std::uint64_t a, std::uint64_t b, std::uint64_t d) {
  return divide(u128{a} * b, d).quotient;
}

inline std::uint64_t mul_div_ceil(std::uint64_t a, std::uint64_t b, std::uint64_t d) {
  const Division r = divide(u128{a} * b, d);
  return r.quotient + (r.remainder != 0 && r.quotient != kMaxU64);
}

}  // namespace weir::base
