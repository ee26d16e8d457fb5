#include "wire/http_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace weir::wire {

namespace {

constexpr auto kTokenChars = [] {
  std::array<bool, 256> table{};
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  for (std::size_t i = 1; i < 256; ++i) {
    const char c = static_cast<char>(i);
    table[i] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kMarks.find(c) != std::string_view::npos;
  }
  return table;
}();

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace weir::wire
