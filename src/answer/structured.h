// Pieces of structured fields (RFC 9651) in their canonical form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/append.h"

namespace weir::answer {

inline bool is_plain(char c) { return c >= 0x20 && c <= 0x7E && c != '%' && c != '"' && c != '\\'; }

// Text for a header field: what is not printable ASCII, and `%`, as %XX. Names of a policy are
// printable, so this changes nothing that the loader accepted but keeps a line a line.
inline void append_printable(std::string& out, std::string_view text, bool escape_quotes = false) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    out.append(text, from, at - from);
    if (at == text.size()) return;
    const char c = text[at++];
    if (c == '"' || c == '\\') {
      if (escape_quotes) out += '\\';
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
}

// A String: quoted, with `"` and `\` escaped.
inline void append_string(std::string& out, std::string_view text) {
  out += '"';
  append_printable(out, text, true);
  out += '"';
}

// `;key=7`; the caller keeps within 15 digits.
inline void append_parameter(std::string& out, std::string_view key, std::uint64_t value) {
  out += ';';
  out += key;
  out += '=';
  base::append_decimal(out, value);
}

}  // namespace weir::answer
