// Splits a line into its words: at runs of spaces, "quoted" and [bracketed] words whole.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace weir::traffic {

struct Words {
  static constexpr std::size_t kMost = 40;

  // A word; empty where there are not so many.
  std::string_view operator[](std::size_t i) const { return i < count ? list[i] : ""; }

  std::size_t count = 0;
  std::array<std::string_view, kMost> list;
};

// Quotes and brackets are taken off and escapes within quotes decoded, into `scratch`, which must
// have room for the line. Words beyond kMost are left. False: a quote or bracket has no end.
bool split_words(std::string_view line, Words& words, std::string& scratch);

}  // namespace weir::traffic
