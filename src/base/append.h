// Whole numbers as decimal digits, appended to a string: no locale, no allocation but the string's.
//
//   base::append_decimal(text, 42);
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace weir::base {

inline void append_decimal(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

}  // namespace weir::base
