#include "traffic/blocks.h"

#include <algorithm>

namespace weir::traffic {

bool Blocks::next(Block& block) {
  if (block.bytes == nullptr) block.bytes = std::make_unique_for_overwrite<char[]>(kSize);
  block.size = rest_.size();
  std::copy(rest_.begin(), rest_.end(), block.bytes.get());
  rest_.clear();
  while (block.size < kSize && read(block, kSize)) {
  }
  if (ended_) return block.size > 0;
  const std::size_t end = block.text().rfind('\n');
  if (end == std::string_view::npos) {
    pass_over_line(block);
  } else {
    rest_ = block.text().substr(end + 1);
    block.size = end + 1;
  }
  return true;
}

bool Blocks::read(Block& block, std::size_t size) {
  if (ended_) return false;
  const auto n = source_.read({block.bytes.get() + block.size, size - block.size});
  if (!n) error_ = n.error();
  if (!n || *n == 0) {
    ended_ = true;
    return false;
  }
  block.size += *n;
  return true;
}

// The block is full and is the beginning of one line: what comes up to its end is of no use.
void Blocks::pass_over_line(Block& block) {
  constexpr std::size_t kKept = Lines::kMostLine + 1;
  for (;;) {
    block.size = kKept;
    if (!read(block, kSize)) return;
    const std::size_t end = block.text().find('\n', kKept);
    if (end == std::string_view::npos) continue;
    rest_ = block.text().substr(end + 1);
    block.size = kKept;
    block.bytes[block.size++] = '\n';
    return;
  }
}

}  // namespace weir::traffic
