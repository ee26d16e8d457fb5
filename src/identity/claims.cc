// A streaming reader of JWT payloads over Boost.JSON's basic_parser.
#include "identity/claims.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

namespace weir::identity {

namespace {

namespace json = boost::json;

// What was read of one key or string, in parts. Longer text only has to be known as too long.
struct Text {
  std::array<char, kMaxClaim> bytes;
  std::size_t size = 0;
  bool too_long = false;
  bool open = false;  // more parts may come

  void append(std::string_view part) {
    if (!open) {
      size = 0;
      too_long = false;
      open = true;
    }
    if (part.size() > bytes.size() - size) {
      too_long = true;
      return;
    }
    std::memcpy(bytes.data() + size, part.data(), part.size());
    size += part.size();
  }
  std::string_view view() const { return {bytes.data(), size}; }
};

// Called by the parser for each thing it meets. Names and parameters are the parser's.
struct Handler {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
  using Code = json::error_code;

  std::span<Claim> claims;
  unsigned depth = 0;
  bool is_object = false;
  bool at_claim = false;  // the next value belongs to `key` of the top level
  Text key;
  Text string;

  explicit Handler(std::span<Claim> wanted) : claims(wanted) {}

  void value(std::string_view text, bool usable) {
    if (!at_claim) return;
    at_claim = false;
    for (Claim& claim : claims) {
      if (key.too_long || claim.name != key.view()) continue;
      claim.usable = usable && !claim.seen;
      claim.seen = true;
      if (!claim.usable) continue;
      std::memcpy(claim.text.data(), text.data(), text.size());
      claim.size = text.size();
    }
  }
  bool number(auto n) {
    std::array<char, 24> digits;
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), n).ptr;
    value({digits.data(), static_cast<std::size_t>(end - digits.data())}, true);
    return true;
  }
  bool begin(bool object) {
    value({}, false);
    if (depth == 0) is_object = object;
    ++depth;
    return true;
  }
  bool end() {
    --depth;
    return true;
  }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) { return begin(true); }
  bool on_object_end(std::size_t, Code&) { return end(); }
  bool on_array_begin(Code&) { return begin(false); }
  bool on_array_end(std::size_t, Code&) { return end(); }
  bool on_key_part(json::string_view part, std::size_t, Code&) {
    if (depth == 1) key.append({part.data(), part.size()});
    return true;
  }
  bool on_key(json::string_view part, std::size_t total, Code& code) {
    on_key_part(part, total, code);
    key.open = false;
    at_claim = depth == 1;
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, Code&) {
    string.append({part.data(), part.size()});
    return true;
  }
  bool on_string(json::string_view part, std::size_t total, Code& code) {
    on_string_part(part, total, code);
    string.open = false;
    value(string.view(), !string.too_long);
    return true;
  }
  bool on_number_part(json::string_view, Code&) { return true; }
  bool on_int64(std::int64_t n, json::string_view, Code&) { return number(n); }
  bool on_uint64(std::uint64_t n, json::string_view, Code&) { return number(n); }
  bool on_double(double, json::string_view, Code&) {
    value({}, false);
    return true;
  }
  bool on_bool(bool b, Code&) {
    value(b ? "true" : "false", true);
    return true;
  }
  bool on_null(Code&) {
    value({}, false);
    return true;
  }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }
};

int base64url_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '-') return 62;
  return c == '_' ? 63 : -1;
}

std::optional<std::size_t> decode_base64url(std::string_view text, std::span<char> out) {
  if (text.size() % 4 == 1 || text.size() / 4 * 3 + 2 > out.size()) return std::nullopt;
  std::size_t size = 0;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    const int value = base64url_value(c);
    if (value < 0) return std::nullopt;
    held = held << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out[size++] = static_cast<char>(static_cast<unsigned char>(held >> bits & 0xff));
  }
  return size;
}

}  // namespace

std::optional<std::string_view> jwt_payload(std::string_view token, std::span<char> out) {
  if (token.size() > kMaxToken || std::count(token.begin(), token.end(), '.') != 2) {
    return std::nullopt;
  }
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  const auto size = decode_base64url(token.substr(first + 1, second - first - 1), out);
  if (!size) return std::nullopt;
  return std::string_view{out.data(), *size};
}

bool read_claims(std::string_view payload, std::span<Claim> claims) {
  json::basic_parser<Handler> parser(json::parse_options{}, claims);
  json::error_code error;
  const std::size_t used = parser.write_some(false, payload.data(), payload.size(), error);
  const bool good = !error && used == payload.size() && parser.done() && parser.handler().is_object;
  if (!good) {
    for (Claim& claim : claims) claim.usable = false;
  }
  return good;
}

}  // namespace weir::identity
