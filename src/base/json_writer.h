// JSON written by appending to a string: compact, ASCII only, in the order of the calls.
//
//   base::JsonWriter json(out);
//   json.begin_object();
//   json.member("admit", true);
//   json.key("limits");
//   json.begin_array();
//   ...
//
// Text is escaped: quotes, backslashes, control characters, and everything beyond ASCII as \uXXXX
// (a byte that is no UTF-8 becomes U+FFFD), so the result fits into a header field as it stands.
// The caller keeps begin and end in pairs; nothing is checked. Allocates only while `out` grows.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/append.h"

namespace weir::base {

namespace detail {

inline void append_unicode_escape(std::string& out, std::uint32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  const char escape[] = {
      '\\',           'u', kHex[unit >> 12 & 15], kHex[unit >> 8 & 15], kHex[unit >> 4 & 15],
      kHex[unit & 15]};
  out.append(escape, sizeof escape);
}

// The code point that starts at text[at], which is not ASCII; moves `at` behind it. A byte that
// begins no well-formed sequence is U+FFFD by itself.
inline std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  std::size_t length = 0;
  std::uint32_t least = 0;
  std::uint32_t point = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, least = 0x80, point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, least = 0x800, point = lead & 0x0Fu;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, least = 0x10000, point = lead & 0x07u;
  }
  bool good = length != 0 && at + length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(at + i) & 0xC0u) == 0x80;
    point = point << 6 | (byte(at + i) & 0x3Fu);
  }
  if (!good || point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    ++at;
    return 0xFFFD;
  }
  at += length;
  return point;
}

}  // namespace detail

// The inside of a JSON string, without its quotes.
inline void append_json_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t plain = at;
    while (plain < text.size() && text[plain] >= 0x20 && text[plain] < 0x7F && text[plain] != '"' &&
           text[plain] != '\\') {
      ++plain;
    }
    out.append(text, at, plain - at);
    at = plain;
    if (at == text.size()) return;
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[at++];
    } else if (c < 0x80) {
      detail::append_unicode_escape(out, c);
      ++at;
    } else {
      const std::uint32_t point = detail::next_code_point(text, at);
      if (point < 0x10000) {
        detail::append_unicode_escape(out, point);
      } else {
        detail::append_unicode_escape(out, 0xD800 + ((point - 0x10000) >> 10));
        detail::append_unicode_escape(out, 0xDC00 + ((point - 0x10000) & 0x3FF));
      }
    }
  }
}

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name) {
    separate();
    quote(name);
    out_ += ':';
    comma_ = false;
  }

  void value(std::string_view text) {
    separate();
    quote(text);
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(std::same_as<bool> auto b) {
    separate();
    out_ += b ? "true" : "false";
  }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) void value(T number) {
    separate();
    append_decimal(out_, number);
  }
  void null() {
    separate();
    out_ += "null";
  }
  // `json` is a complete value already.
  void raw(std::string_view json) {
    separate();
    out_ += json;
  }

  template <typename T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }

  // A string value put together from pieces: begin_text, any number of text and digits, end_text.
  void begin_text() {
    separate();
    out_ += '"';
  }
  void text(std::string_view piece) { append_json_text(out_, piece); }
  void digits(std::uint64_t number) { append_decimal(out_, number); }
  void end_text() { out_ += '"'; }
  // For what appends to a string by itself; it writes nothing that needs an escape.
  std::string& out() { return out_; }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  void open(char bracket) {
    separate();
    out_ += bracket;
    comma_ = false;
  }
  void close(char bracket) {
    out_ += bracket;
    comma_ = true;
  }
  void quote(std::string_view text) {
    out_ += '"';
    append_json_text(out_, text);
    out_ += '"';
  }

  std::string& out_;
  bool comma_ = false;  // whether the next key or value follows another
};

}  // namespace weir::base
