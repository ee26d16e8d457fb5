// Names to small numbers, for the names of a policy: filled once, then looked up for each request.
//
// Open addressing in one array, at most half full. Which cells a lookup meets depends on the names
// that were added, so whoever chooses what is looked up can make it meet no more of them.
// Thread-safe while nothing is added; find() allocates nothing. Cost: a hash of the text and, as a
// rule, one cell.
//
//   NameIndex methods;
//   methods.add("GET");                      // 0
//   methods.find("PUT") == NameIndex::kNone
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace weir::policy {

// Hashes of 64 bits to numbers.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // The number added under `hash` for which `is(number)` holds, or kNone.
  template <typename Is>
  std::uint32_t find(std::uint64_t hash, Is is) const {
    for (std::uint64_t i = hash;; ++i) {
      const Cell& cell = cells_[i & (cells_.size() - 1)];
      if (cell.number == kNone || (cell.hash == hash && is(cell.number))) return cell.number;
    }
  }
  void add(std::uint64_t hash, std::uint32_t number) {
    if (++used_ * 2 > cells_.size()) grow();
    place({hash, number});
  }

  // One to one: different words have different hashes.
  static constexpr std::uint64_t mix(std::uint64_t word) {
    word *= 0x9E3779B97F4A7C15;
    return word ^ word >> 32;
  }

 private:
  struct Cell {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
  };

  void place(const Cell& cell) {
    std::uint64_t i = cell.hash;
    while (cells_[i & (cells_.size() - 1)].number != kNone) ++i;
    cells_[i & (cells_.size() - 1)] = cell;
  }
  void grow() {
    std::vector<Cell> old(cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.number != kNone) place(cell);
    }
  }

  std::vector<Cell> cells_{8};  // a power of two
  std::size_t used_ = 0;
};

class NameIndex {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kNone;

  std::uint32_t find(std::string_view name) const {
    return index_.find(hash(name), [&](std::uint32_t i) { return names_[i] == name; });
  }
  // The number of the name, which is new if the name is: 0, 1, 2 and so on.
  std::uint32_t add(std::string_view name) {
    const std::uint32_t found = find(name);
    if (found != kNone) return found;
    const auto next = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    index_.add(hash(name), next);
    return next;
  }

 private:
  static std::uint64_t hash(std::string_view text) {
    const char* p = text.data();
    std::size_t left = text.size();
    std::uint64_t h = left;
    for (; left > 8; left -= 8, p += 8) h = HashIndex::mix(h ^ word(p, 8));
    return HashIndex::mix(h ^ tail(p, left));
  }
  static std::uint64_t word(const char* p, std::size_t size) {
    std::uint64_t w = 0;
    std::memcpy(&w, p, size);
    return w;
  }
  // The last bytes, 8 at most; words that overlap, since a copy of any length is a call.
  static std::uint64_t tail(const char* p, std::size_t size) {
    if (size == 8) return word(p, 8);
    if (size >= 4) return word(p, 4) << 32 | word(p + size - 4, 4);
    if (size >= 2) return word(p, 2) << 16 | word(p + size - 2, 2);
    return size == 1 ? word(p, 1) : 0;
  }

  std::vector<std::string> names_;
  HashIndex index_;
};

}  // namespace weir::policy
