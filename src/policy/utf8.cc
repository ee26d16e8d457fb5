// UTF-8 validity by RFC 3629.
#include "policy/utf8.h"

#include <cstdint>

#include "policy/unicode.h"

namespace weir::policy {

std::optional<Position> first_invalid_utf8(std::string_view text) {
  Position at{1, 1};
  while (!text.empty()) {
    const std::size_t length = decode_utf8(text).size;
    if (length == 0) return at;
    if (text[0] == '\n') {
      at = {at.line + 1, 1};
    } else {
      ++at.column;
    }
    text.remove_prefix(length);
  }
  return std::nullopt;
}

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<std::uint8_t>(c);
    // Never in the middle of a character.
    if (out.size() >= 80 && (byte & 0xc0) != 0x80) return out + "...";
    const std::uint32_t point = decode_utf8(text.substr(i)).value;
    if (point >= 0x80 && point < 0xa0) {  // terminals obey U+009B as they do ESC [
      out += {'\\', 'u', '0', '0', kHex[point >> 4], kHex[point & 15]};
      ++i;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weir::policy
