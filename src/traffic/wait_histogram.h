// How long requests would have to wait, in cells of a 64th of their size: a quantile is told
// rounded up by at most 1.6 %. A value; about 4 ns to add.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "weir/clock.h"

namespace weir::traffic {

class WaitHistogram {
 public:
  void add(Duration wait) {
    const std::size_t cell = cell_of(wait.ns);
    if (cell >= cells_.size()) cells_.resize(cell + 1);
    ++cells_[cell];
    ++count_;
    max_ = std::max(max_, wait);
  }
  void add_all(const WaitHistogram& other) {
    if (other.cells_.size() > cells_.size()) cells_.resize(other.cells_.size());
    for (std::size_t i = 0; i < other.cells_.size(); ++i) cells_[i] += other.cells_[i];
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
  }
  std::uint64_t count() const { return count_; }
  Duration max() const { return max_; }
  // The least wait that at least this share (in millionths) does not exceed; 0 where there is none.
  Duration quantile(std::uint64_t ppm) const {
    // The rank, rounded up; counts are far below 2^44.
    const std::uint64_t rank = std::max<std::uint64_t>(1, (count_ * ppm + 999'999) / 1'000'000);
    std::uint64_t seen = 0;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      seen += cells_[cell];
      if (seen >= rank) return std::min(max_, Duration{last_of(cell)});
    }
    return {};
  }

 private:
  static constexpr unsigned kBits = 6;
  // Values below 128 have a cell each; above, 64 cells for each power of two.
  static std::size_t cell_of(std::uint64_t v) {
    if (v < 2u << kBits) return static_cast<std::size_t>(v);
    const auto shift = static_cast<unsigned>(std::bit_width(v)) - kBits - 1;
    return (std::size_t{shift} << kBits) + static_cast<std::size_t>(v >> shift);
  }
  static std::uint64_t last_of(std::size_t cell) {
    if (cell < 2u << kBits) return cell;
    const std::size_t shift = (cell >> kBits) - 1;
    const std::uint64_t first = (cell & ((1u << kBits) - 1)) + (1u << kBits);
    return ((first + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> cells_;
  std::uint64_t count_ = 0;
  Duration max_;
};

}  // namespace weir::traffic
