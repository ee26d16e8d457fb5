// The lines of a source, without their ends (`\n`, `\r\n`); the last may lack one.
//
//   Lines lines(*source);
//   while (lines.next(line)) ...
//   if (lines.error()) ...
//
// A line longer than kMostLine is passed over: `next` gives its beginning, and `too_long()` is
// true. A view lives until the next call. For one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "traffic/source.h"
#include "weir/result.h"

namespace weir::traffic {

class Lines {
 public:
  static constexpr std::size_t kMostLine = std::size_t{1} << 20;

  explicit Lines(Source& source) : source_(source), buffer_(4 * kMostLine) {}

  bool next(std::string_view& line);
  bool too_long() const { return too_long_; }
  // Whether the last line had no end.
  bool unended() const { return unended_; }
  // Why there are no more lines, where that is not the end of the file.
  const std::optional<Error>& error() const { return error_; }

 private:
  // Reads more behind what is there; false: there is no more.
  bool more();
  std::string_view without_end(std::string_view line) const;

  Source& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;   // of what has not been given
  std::size_t looked_ = 0;  // up to here there is no line end
  std::size_t end_ = 0;     // of what was read
  bool ended_ = false;
  bool too_long_ = false;
  bool unended_ = false;
  std::optional<Error> error_;
};

}  // namespace weir::traffic
