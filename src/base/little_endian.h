// Bytes of memory as a word, the first byte lowest, on any machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir::base {

inline std::uint64_t little_endian_64(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

inline std::uint32_t little_endian_32(const char* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
  return word;
}

// `size` bytes, 0 to 7, by reads that overlap: a copy of any length would be a call.
inline std::uint64_t little_endian(const char* p, std::size_t size) {
  if (size >= 4) {
    return little_endian_32(p) | std::uint64_t{little_endian_32(p + size - 4)} << 8 * (size - 4);
  }
  if (size == 0) return 0;
  const auto byte = [p](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(p[i])} << 8 * i;
  };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

}  // namespace weir::base
