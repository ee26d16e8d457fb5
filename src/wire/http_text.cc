#include "wire/http_text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace weir::wire {

namespace {

// Letters, digits and `marks`.
constexpr std::array<bool, 256> chars(std::string_view marks) {
  std::array<bool, 256> table{};
  for (std::size_t i = 1; i < 256; ++i) {
    const char c = static_cast<char>(i);
    table[i] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               marks.find(c) != std::string_view::npos;
  }
  return table;
}

constexpr auto kTokenChars = chars("!#$%&'*+-.^_`|~");
constexpr auto kNameChars = chars("-._~!$&'()*+,;=");  // RFC 3986: unreserved and sub-delims

bool is_name_char(char c) { return kNameChars[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What stands in brackets: an IPv6 address, or a form to come ("v1.fe").
bool is_literal(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) {
    const std::size_t dot = text.find('.');
    if (dot == text.npos || dot < 2 || dot + 1 == text.size()) return false;
    const std::string_view rest = text.substr(dot + 1);
    return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(dot), is_hex) &&
           std::all_of(rest.begin(), rest.end(),
                       [](char c) { return is_name_char(c) || c == ':'; });
  }
  std::array<char, INET6_ADDRSTRLEN> copy{};
  if (text.size() >= copy.size()) return false;
  std::copy(text.begin(), text.end(), copy.begin());
  in6_addr address{};
  return ::inet_pton(AF_INET6, copy.data(), &address) == 1;
}

bool is_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_name_char(text[i])) continue;
    if (text[i] != '%' || text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) {
      return false;
    }
    i += 2;
  }
  return true;
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_host(std::string_view text) {
  const std::size_t close = text.starts_with('[') ? text.find(']') : 0;
  if (close == text.npos) return false;
  const std::size_t colon = text.find(':', close);
  const std::string_view host = text.substr(0, colon);
  const std::string_view port = colon == text.npos ? "" : text.substr(colon + 1);
  if (!std::all_of(port.begin(), port.end(), is_digit)) return false;
  if (close == 0) return is_name(host);
  return host.size() == close + 1 && is_literal(host.substr(1, close - 1));
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace weir::wire
