// The bytes of a source in blocks of whole lines: what one thread parses at once.
//
//   Blocks blocks(*source);
//   Block block;
//   while (blocks.next(block)) parse(block.text());
//   if (blocks.error()) ...
//
// The last line of a source may lack its end. Of a line that is longer than a block no more is kept
// than Lines needs to see that it is too long. A Block keeps its memory from one `next` to another.
// For one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traffic/lines.h"
#include "traffic/source.h"
#include "weir/result.h"

namespace weir::traffic {

struct Block {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;

  std::string_view text() const { return {bytes.get(), size}; }
};

class Blocks {
 public:
  static constexpr std::size_t kSize = 4 * Lines::kMostLine;

  explicit Blocks(Source& source) : source_(source) {}

  bool next(Block& block);
  // Whether the last block was the last of all.
  bool ended() const { return ended_ && rest_.empty(); }
  // Why there are no more, where that is not the end of the file.
  const std::optional<Error>& error() const { return error_; }

 private:
  // Up to `size` bytes behind those of the block; false: there are no more.
  bool read(Block& block, std::size_t size);
  void pass_over_line(Block& block);

  Source& source_;
  std::string rest_;  // the beginning of a line whose end the next block has
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace weir::traffic
