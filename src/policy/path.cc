// Request targets to the normal form of their path.
//
// The normal form is for comparing with patterns, once: it is not itself a path that could be
// normalised again (%252F and %2F share the normal form %2F, which nothing decodes any further).
#include "policy/path.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "policy/route.h"
#include "policy/unicode.h"

namespace weir::policy {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte an escape at the front of `text` stands for, or -1.
int escaped_byte(std::string_view text) {
  if (text.size() < 3 || text[0] != '%') return -1;
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// These mean something else to a router that decodes them than to one that does not.
bool stays_escaped(int byte) { return byte == '/' || byte == '\\' || byte == 0; }

bool is_control(int byte) { return byte < 0x20 || byte == 0x7f; }

bool is_scheme(std::string_view text) {
  const auto alpha = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && alpha(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

// The raw path of a request target: query and fragment cut off, and of an absolute form
// ("http://host/path", RFC 9112 3.2.2) scheme and authority.
std::string_view raw_path(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  if (path.empty() || path[0] == '/') return path;
  const std::size_t colon = path.find("://");
  if (colon == std::string_view::npos || !is_scheme(path.substr(0, colon))) return path;
  const std::size_t slash = path.find('/', colon + 3);
  return slash == std::string_view::npos ? "/" : path.substr(slash);
}

}  // namespace

std::optional<std::size_t> decode_segment(std::string_view raw, std::span<char> out) {
  std::size_t size = 0;
  while (!raw.empty()) {
    int byte = static_cast<unsigned char>(raw[0]);
    std::size_t used = 1;
    if (byte == '%') {
      byte = escaped_byte(raw);
      used = 3;
      if (byte < 0) return std::nullopt;
      if (stays_escaped(byte)) {
        std::memcpy(out.data() + size, byte == 0 ? "%00" : byte == '/' ? "%2F" : "%5C", 3);
        size += 3;
        raw.remove_prefix(3);
        continue;
      }
    }
    if (is_control(byte)) return std::nullopt;
    out[size++] = static_cast<char>(byte);
    raw.remove_prefix(used);
  }
  if (!valid_utf8({out.data(), size})) return std::nullopt;
  return size;
}

RawSegment next_segment(std::string_view& rest, bool encoded_slash) {
  std::size_t at = rest.find('/');
  std::size_t separator = 1;
  if (encoded_slash) {
    const std::string_view head = rest.substr(0, at);
    for (std::size_t i = head.find('%'); i != std::string_view::npos; i = head.find('%', i + 1)) {
      if (escaped_byte(head.substr(i)) == '/') {
        at = i;
        separator = 3;
        break;
      }
    }
  }
  const RawSegment segment{rest.substr(0, at), at == std::string_view::npos};
  rest.remove_prefix(segment.last ? rest.size() : at + separator);
  return segment;
}

std::optional<std::string_view> normalize_path(std::string_view target, const PathRules& rules,
                                               std::span<char> out) {
  if (target == "*") return target;  // `OPTIONS *`: no path; it falls in the default class
  std::string_view rest = raw_path(target);
  if (rest.empty() || rest[0] != '/' || rest.size() > kMaxPath || out.size() < kMaxPath) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  // What is written never runs ahead of what was read: '/' and a segment, at most as long as raw.
  std::size_t size = 0;
  bool slash = false;  // the path so far ends in a slash that was not written
  for (bool last = false; !last;) {
    const RawSegment raw = next_segment(rest, rules.decode_encoded_slash);
    last = raw.last;
    out[size] = '/';
    const auto decoded = decode_segment(raw.text, out.subspan(size + 1));
    if (!decoded) return std::nullopt;
    const std::string_view segment{out.data() + size + 1, *decoded};
    slash = segment.empty() || segment == "." || segment == "..";
    if (segment == "..") {
      const std::size_t parent = std::string_view{out.data(), size}.rfind('/');
      size = parent == std::string_view::npos ? 0 : parent;
    } else if (!slash) {
      size += 1 + *decoded;
    }
  }
  if (size == 0 || (slash && !rules.strip_slash)) out[size++] = '/';
  if (rules.fold_case) size = fold_case(out.first(size));
  return std::string_view{out.data(), size};
}

}  // namespace weir::policy
