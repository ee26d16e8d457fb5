// What stands for a key in a store: 128 bits of SipHash-1-3 under a secret of the table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weir::base {

struct HashSecret {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;

  // From the operating system's random source.
  static HashSecret random();

  friend bool operator==(const HashSecret&, const HashSecret&) = default;
};

struct Digest {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend bool operator==(const Digest&, const Digest&) = default;
  friend constexpr Digest operator^(const Digest& a, const Digest& b) {
    return {a.lo ^ b.lo, a.hi ^ b.hi};
  }
};

// SipHash with one compression and three finalisation rounds and a 128-bit result (Aumasson and
// Bernstein; the reference implementation's vectors are in digest_test.cc). About 12 ns for 26
// bytes.
Digest siphash13_128(const HashSecret& secret, std::string_view bytes);

}  // namespace weir::base
