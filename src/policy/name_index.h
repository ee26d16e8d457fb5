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

#include "base/little_endian.h"

namespace weir::policy {

// Hashes of 64 bits to numbers.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // The number added under `hash` for which `is(number)` holds, or kNone.
  template <typename Is>
  std::uint32_t find(std::uint64_t hash, Is is) const {
    const Cell* const cells = cells_.data();
    for (std::uint64_t i = hash;; ++i) {
      const Cell& cell = cells[i & mask_];
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
    while (cells_[i & mask_].number != kNone) ++i;
    cells_[i & mask_] = cell;
  }
  void grow() {
    std::vector<Cell> old(cells_.size() * 2);
    old.swap(cells_);
    mask_ = cells_.size() - 1;
    for (const Cell& cell : old) {
      if (cell.number != kNone) place(cell);
    }
  }

  std::vector<Cell> cells_{8};  // a power of two
  std::uint64_t mask_ = 7;
  std::size_t used_ = 0;
};

// A text's hash: its words of 8 bytes in turn, and last what is left of it, be that nothing. What
// is no longer than kWord is one word and perhaps nothing, so no other text of its length has its
// hash.
class TextHash {
 public:
  static constexpr std::size_t kWord = 8;

  void add(std::uint64_t word) { hash_ = HashIndex::mix(hash_ ^ word); }
  std::uint64_t value() const { return hash_; }

  static std::uint64_t of(std::string_view text) {
    TextHash hash;
    const char* p = text.data();
    std::size_t left = text.size();
    for (; left >= kWord; left -= kWord, p += kWord) hash.add(base::little_endian_64(p));
    hash.add(base::little_endian(p, left));
    return hash.value();
  }
  // Whether two texts that have the same hash are the same.
  static bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           (a.size() <= kWord || std::memcmp(a.data(), b.data(), a.size()) == 0);
  }

 private:
  std::uint64_t hash_ = 0;
};

class NameIndex {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kNone;

  std::uint32_t find(std::string_view name) const {
    return index_.find(TextHash::of(name),
                       [&](std::uint32_t i) { return TextHash::same(names_[i], name); });
  }
  // The number of the name, which is new if the name is: 0, 1, 2 and so on.
  std::uint32_t add(std::string_view name) {
    const std::uint32_t found = find(name);
    if (found != kNone) return found;
    const auto next = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    index_.add(TextHash::of(name), next);
    return next;
  }
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_;
  HashIndex index_;
};

}  // namespace weir::policy
