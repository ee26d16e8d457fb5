// The lines of a text, without their ends (`\n`, `\r\n`); the last may lack one.
//
//   Lines lines(block.text());
//   while (lines.next(line)) ...
//
// A line longer than kMostLine is given as its beginning, and `too_long()` is true. A value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weir::traffic {

class Lines {
 public:
  static constexpr std::size_t kMostLine = std::size_t{1} << 20;

  explicit Lines(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    too_long_ = line.size() > kMostLine;
    if (too_long_) line = line.substr(0, kMostLine);
    return true;
  }
  bool too_long() const { return too_long_; }

 private:
  std::string_view rest_;
  bool too_long_ = false;
};

}  // namespace weir::traffic
