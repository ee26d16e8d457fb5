// A column of values that only grows: blocks of 65,536, so that growth copies nothing and takes no
// more than one block beyond what is there.
//
//   Column<std::uint32_t> clients;
//   clients.push_back(7);
//   clients[0];
//
// Not thread-safe while it grows; then any number of threads may read.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace weir::traffic {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void push_back(T value) {
    if (size_ >> kShift == blocks_.size()) {
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    }
    blocks_[size_ >> kShift][size_ & kMask] = value;
    ++size_;
  }
  const T& operator[](std::size_t i) const { return blocks_[i >> kShift][i & kMask]; }
  void clear() { size_ = 0; }  // keeps the memory
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return blocks_.size() * kBlock * sizeof(T); }

 private:
  static constexpr std::size_t kShift = 16;
  static constexpr std::size_t kBlock = std::size_t{1} << kShift;
  static constexpr std::size_t kMask = kBlock - 1;

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace weir::traffic
