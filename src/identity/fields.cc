// Headers, query parameters, cookies and credentials of a request.
#include "identity/fields.h"

#include <algorithm>

namespace weir::identity {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

// Takes one decoded character of a query string off `text`, or -1 for a bad escape.
int take_decoded(std::string_view& text) {
  const char c = text[0];
  if (c != '%') {
    text.remove_prefix(1);
    return c == '+' ? ' ' : static_cast<unsigned char>(c);
  }
  if (text.size() < 3) return -1;
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  text.remove_prefix(3);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool decodes_to(std::string_view encoded, std::string_view name) {
  for (const char c : name) {
    if (encoded.empty() || take_decoded(encoded) != static_cast<unsigned char>(c)) return false;
  }
  return encoded.empty();
}

std::optional<std::string_view> decode(std::string_view encoded, std::span<char> out) {
  if (encoded.find_first_of("%+") == std::string_view::npos) return encoded;
  std::size_t size = 0;
  while (!encoded.empty()) {
    const int byte = take_decoded(encoded);
    if (byte < 0 || size == out.size()) return std::nullopt;
    out[size++] = static_cast<char>(byte);
  }
  return std::string_view{out.data(), size};
}

// Cuts the part before `separator` off the front of `rest`.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

std::optional<std::string_view> single_field(std::span<const Field> fields, auto is_it) {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (!is_it(field)) continue;
    if (found) return std::nullopt;
    found = trim(field.value);
  }
  return found;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_header(const Field& field, std::string_view name) {
  return equals_ignoring_case(field.name, name) && name.find('_') == std::string_view::npos;
}

std::optional<std::string_view> single_header(std::span<const Field> headers,
                                              std::string_view name) {
  return single_field(headers, [&](const Field& field) { return is_header(field, name); });
}

std::optional<std::string_view> single_attribute(std::span<const Field> attributes,
                                                 std::string_view name) {
  return single_field(attributes, [&](const Field& field) { return field.name == name; });
}

std::optional<std::string_view> query_parameter(std::string_view target, std::string_view name,
                                                std::span<char> out) {
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view rest = target.substr(mark + 1);
  std::optional<std::string_view> found;
  while (!rest.empty()) {
    std::string_view value = take_part(rest, '&');
    const std::string_view key = take_part(value, '=');
    if (!decodes_to(key, name)) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found ? decode(*found, out) : std::nullopt;
}

std::optional<std::string_view> cookie(std::span<const Field> headers, std::string_view name) {
  std::optional<std::string_view> found;
  for (const Field& field : headers) {  // HTTP/2 may split one Cookie header into several
    if (!is_header(field, "cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view value = take_part(rest, ';');
      if (value.find('=') == std::string_view::npos) continue;
      if (trim(take_part(value, '=')) != name) continue;
      if (found) return std::nullopt;
      found = trim(value);
    }
  }
  if (found && found->size() >= 2 && found->front() == '"' && found->back() == '"') {
    found = found->substr(1, found->size() - 2);
  }
  return found;
}

std::optional<std::string_view> credentials(std::span<const Field> headers,
                                            std::span<const std::string_view> schemes) {
  const auto value = single_header(headers, "authorization");
  if (!value) return std::nullopt;
  const std::size_t space = value->find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = value->substr(0, space);
  for (const std::string_view wanted : schemes) {
    if (equals_ignoring_case(scheme, wanted)) return trim(value->substr(space + 1));
  }
  return std::nullopt;
}

}  // namespace weir::identity
