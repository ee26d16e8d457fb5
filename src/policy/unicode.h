// Code points: reading one from UTF-8, and folding case in place.
//
// Case folding is Unicode's simple folding (one code point to one), in the direction that never
// makes the text longer. It is for comparing: what it prints need not look well. No allocation;
// cost: a byte a step in ASCII, a binary search a code point elsewhere. Pure functions.
//
//   std::size_t n = policy::fold_case(std::span(buffer, size));  // "ÄB" -> "äb"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::policy {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // bytes; 0: not UTF-8
};

// The code point at the start of `text`, strictly: shortest form, no surrogates, at most U+10FFFF.
CodePoint decode_utf8(std::string_view text);
bool valid_utf8(std::string_view text);

// Folds in place; returns the new size, never more than before. Bytes that are not UTF-8 stay.
std::size_t fold_case(std::span<char> text);

}  // namespace weir::policy
