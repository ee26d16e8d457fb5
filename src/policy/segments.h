// The path of a request target, cut at its slashes: what the route table looks up.
//
//   Segments segments;
//   if (!table.cut(target, segments)) return malformed;
//   table.match("GET", segments);
//
// Cutting and hashing are one pass by words of 8 bytes. A target that is in normal form as it
// stands, as nearly all are, is never copied. Views: the bytes outlive the Segments. 11 KB, for the
// stack, of which only what is needed is touched. Not thread-safe; not to be copied.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/little_endian.h"
#include "policy/name_index.h"
#include "policy/path.h"
#include "policy/route.h"

namespace weir::policy {

class Segments {
 public:
  Segments() = default;
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  struct Segment {
    const char* data;
    std::size_t size;
    std::uint64_t hash;  // TextHash
    std::string_view text() const { return {data, size}; }
  };

  // What normalize_path gave.
  void cut(std::string_view path) {
    is_path_ = path.starts_with('/');
    if (is_path_) cut_by<OnlySlash>(path, false);
  }
  // The path of a target that a router would leave as it is: printable ASCII from the first slash
  // on, no escape, no empty segment, none that begins with a dot, up to a `?` or `#`. False, and
  // nothing is known: normalise it first.
  bool cut_target(std::string_view target, bool strip_slash) {
    if (target.empty() || target[0] != '/' || target.size() > kMaxPath) return false;
    is_path_ = true;
    return cut_by<Target>(target, strip_slash);
  }

  // For a path that must be normalised first.
  std::span<char> room() { return room_; }

  // Otherwise it is the `*` of `OPTIONS *`, which no pattern matches.
  bool is_path() const { return is_path_; }
  // Those kept: as many as a pattern can have.
  std::size_t size() const { return count_ < kMaxSegments ? count_ : kMaxSegments; }
  // There are more.
  bool deeper() const { return count_ > kMaxSegments; }
  const Segment& operator[](std::size_t i) const { return segments_[i]; }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;
  static constexpr std::uint64_t kHigh = kOnes * 0x80;
  // The high bit of each byte of which `word` has zero.
  static std::uint64_t zeros(std::uint64_t word) {
    return ~(((word & ~kHigh) + ~kHigh) | word) & kHigh;
  }

  // What ends a segment, or must be looked at: the high bit of each such byte of a word.
  struct OnlySlash {
    static constexpr bool kRaw = false;
    static std::uint64_t stops(std::uint64_t word) { return zeros(word ^ kOnes * '/'); }
  };
  struct Target {
    static constexpr bool kRaw = true;
    static std::uint64_t stops(std::uint64_t word) {
      const std::uint64_t low =
          ~((word | kHigh) - kOnes * '0');  // `.` and `/` are the last of them
      const std::uint64_t question_or_del = ((word & kOnes * 0x3f) + kOnes)
                                            << 1;  // or ASCII no more
      return (low | question_or_del | word) & kHigh;
    }
  };
  static_assert('/' + 1 == '0' && '?' == 0x3f && ('?' | 0x40) == 0x7f);

  template <typename Form>
  [[gnu::always_inline]] bool cut_by(std::string_view path, bool strip_slash);
  // How much of `word`, the bytes from p on, belongs to the segment that began at `start`; `end` is
  // moved to where the path ends before it.
  static constexpr std::size_t kLookCloser = ~std::size_t{0};
  template <typename Form>
  static std::size_t part(std::uint64_t word, std::size_t left, const char* start, const char* p,
                          const char*& end);
  // The bytes from p on, zeros after the end of the path.
  static std::uint64_t word_at(std::string_view path, const char* p, std::size_t left) {
    if (left >= TextHash::kWord) return base::little_endian_64(p);
    if (left == 0) return 0;
    if (path.size() < TextHash::kWord) return base::little_endian(p, left);
    const std::size_t before = TextHash::kWord - left;
    return base::little_endian_64(p - before) >> 8 * before;
  }

  bool is_path_ = false;
  std::size_t count_ = 0;
  std::array<Segment, kMaxSegments> segments_;
  std::array<char, kMaxPath> room_;
};

template <typename Form>
inline std::size_t Segments::part(std::uint64_t word, std::size_t left, const char* start,
                                  const char* p, const char*& end) {
  for (std::uint64_t stops = Form::stops(word); stops != 0; stops &= stops - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(stops)) / 8;
    if (at >= left) return left;
    if (p[at] == '/' || !Form::kRaw) return at;
    if (p[at] == '?' || p[at] == '#') {
      end = p + at;
      return at;
    }
    const bool plain = p[at] > ' ' && p[at] < 0x7f && p[at] != '%';
    if (!plain || (p[at] == '.' && p + at == start)) return kLookCloser;
  }
  return std::min(left, TextHash::kWord);
}

template <typename Form>
inline bool Segments::cut_by(std::string_view path, bool strip_slash) {
  const char* p = path.data() + 1;
  const char* end = path.data() + path.size();
  std::size_t count = 0;
  for (bool more = p != end; more; ++p) {
    const char* const start = p;
    TextHash hash;
    for (;;) {
      const auto left = static_cast<std::size_t>(end - p);
      const std::uint64_t word = word_at(path, p, left);
      const std::size_t used = part<Form>(word, left, start, p, end);
      if (used == kLookCloser) return false;
      p += used;
      if (used < TextHash::kWord) {
        hash.add(word & ((std::uint64_t{1} << 8 * used) - 1));
        break;
      }
      hash.add(word);
    }
    more = p != end;
    if (Form::kRaw && p == start) {
      if (more) return false;                // `//`
      if (strip_slash || count == 0) break;  // the slash at the end
    }
    if (count < kMaxSegments) {
      segments_[count] = {start, static_cast<std::size_t>(p - start), hash.value()};
    }
    ++count;
  }
  count_ = count;
  return true;
}

}  // namespace weir::policy
