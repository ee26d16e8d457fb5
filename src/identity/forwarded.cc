// RFC 7239: forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] )
#include "identity/forwarded.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "identity/fields.h"

namespace weir::identity {

namespace {

constexpr std::size_t kMaxNode = 64;  // an IPv6 address in brackets with a port has 47 characters

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// A quote at `at` of `text` is escaped when an odd number of backslashes stands before it.
bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1;
}

// Takes a token off the front of `rest`.
std::string_view take_token(std::string_view& rest) {
  std::size_t size = 0;
  while (size < rest.size() && is_token_char(rest[size])) ++size;
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

// Takes a quoted string off the front of `rest`, unescaped into `out`.
std::optional<std::string_view> take_quoted(std::string_view& rest,
                                            std::array<char, kMaxNode>& out) {
  std::size_t size = 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return std::string_view{out.data(), std::min(size, out.size())};
    }
    if (rest[i] == '\\' && ++i == rest.size()) return std::nullopt;
    if (size < out.size()) out[size] = rest[i];
    ++size;
  }
  return std::nullopt;
}

std::optional<std::string_view> take_value(std::string_view& rest,
                                           std::array<char, kMaxNode>& out) {
  if (!rest.empty() && rest[0] == '"') return take_quoted(rest, out);
  const std::string_view token = take_token(rest);
  return token.empty() ? std::nullopt : std::optional(token);
}

// node = nodename [ ":" node-port ]; a port may be obfuscated: "_" and letters.
std::optional<policy::Address> parse_node(std::string_view node) {
  const std::size_t port = node.rfind(":_");
  if (port != std::string_view::npos) node = node.substr(0, port);
  // In `Forwarded` an IPv6 address is always in brackets.
  if (node.find(':') != node.rfind(':') && node[0] != '[') return std::nullopt;
  return policy::Address::parse_with_port(node);
}

}  // namespace

std::string_view take_last_element(std::string_view& rest) {
  std::size_t at = rest.size();
  bool quoted = false;
  while (at > 0 && (quoted || rest[at - 1] != ',')) {
    --at;
    if (rest[at] == '"' && !(quoted && is_escaped(rest, at))) quoted = !quoted;
  }
  const std::string_view element = trim(rest.substr(at));
  rest = at == 0 ? std::string_view{} : rest.substr(0, at - 1);
  return element;
}

std::optional<policy::Address> forwarded_for(std::string_view element) {
  std::array<char, kMaxNode> buffer;
  std::array<char, kMaxNode> other;
  std::optional<std::string_view> node;
  std::string_view rest = trim(element);
  while (!rest.empty()) {
    if (rest[0] == ';') {
      rest = trim(rest.substr(1));
      continue;
    }
    const bool is_for = equals_ignoring_case(take_token(rest), "for");
    if (rest.empty() || rest[0] != '=' || (is_for && node)) return std::nullopt;
    rest.remove_prefix(1);
    const auto value = take_value(rest, is_for ? buffer : other);
    rest = trim(rest);
    if (!value || (!rest.empty() && rest[0] != ';')) return std::nullopt;
    if (is_for) node = value;
  }
  if (!node || node->size() >= kMaxNode) return std::nullopt;
  return parse_node(*node);
}

}  // namespace weir::identity
