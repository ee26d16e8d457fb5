#include "traffic/format/unescape.h"

namespace weir::traffic {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte of the two digits at `at`; -1: there are none.
int byte_at(std::string_view text, std::size_t at) {
  if (at + 2 > text.size()) return -1;
  const int high = hex(text[at]);
  const int low = hex(text[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

void append_unescaped(std::string& out, std::string_view text) {
  static constexpr std::string_view kFrom = "\"\\/nrtbv";
  static constexpr std::string_view kTo = "\"\\/\n\r\t\b\v";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[i + 1];
    const std::size_t simple = kFrom.find(next);
    const bool low = next == 'u' && text.substr(i + 2, 2) == "00";
    const int byte = next == 'x' ? byte_at(text, i + 2) : low ? byte_at(text, i + 4) : -1;
    if (simple != std::string_view::npos) {
      out += kTo[simple];
      ++i;
    } else if (byte >= 0) {
      out += static_cast<char>(byte);
      i += next == 'x' ? 3 : 5;
    } else {
      out += '\\';
    }
  }
}

}  // namespace weir::traffic
