// The pieces of path normalisation that request paths and patterns share. See route.h.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace weir::policy {

// Segments a pattern may have: bounds what a lookup keeps on its stack.
inline constexpr std::size_t kMaxSegments = 128;

// Decodes every escape of one raw path segment once into `out` (at least raw.size() bytes); %2F,
// %5C and %00 stay, in upper-case hex. The size written, or nullopt: a bad escape, a control
// character, not UTF-8.
std::optional<std::size_t> decode_segment(std::string_view raw, std::span<char> out);

// The first segment of `rest`, which is cut off it together with its separator: `/`, and %2F where
// `encoded_slash` says that it separates too. `last`: there was no separator.
struct RawSegment {
  std::string_view text;
  bool last = false;
};
RawSegment next_segment(std::string_view& rest, bool encoded_slash);

}  // namespace weir::policy
