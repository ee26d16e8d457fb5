// "GET /v1/users/{id}" -> a Pattern, or what is wrong with it.
#include <algorithm>

#include "policy/path.h"
#include "policy/route.h"

namespace weir::policy {

namespace {

Error refuse(std::string_view text, std::string_view why) {
  constexpr std::size_t kShown = 100;
  std::string shown(text.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return Error{ErrorCode::invalid_argument,
               "pattern `" + shown + (text.size() > kShown ? "...`: " : "`: ") + std::string(why),
               {}};
}

std::string check_method(std::string_view method) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (method == "HEAD") return "HEAD counts as GET; write GET";
  if (method == "*") return "leave the method out for any method";
  if (method.empty()) return "a path begins with `/`";
  if (!std::all_of(method.begin(), method.end(), [&](char c) { return upper(c) || c == '-'; })) {
    return "a method is upper-case letters, then one space, then a path that begins with `/`";
  }
  return {};
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_of("{}*/ ") == std::string_view::npos;
}

// What is wrong with one segment, empty where nothing is.
std::string check_segment(std::string_view segment) {
  if (segment == "*") return {};
  if (segment[0] == '{' && segment.back() == '}') {
    return is_name(segment.substr(1, segment.size() - 2)) ? "" : "`{name}` needs a plain name";
  }
  if (segment == "." || segment == "..") return "`.` and `..` never reach a pattern";
  if (segment[0] == ':') {
    return "write `{" + std::string(segment.substr(1)) +
           "}` for any one segment, or %3A for a colon";
  }
  if (segment.find_first_of("*{}") != std::string_view::npos) {
    return "`*` and `{name}` stand for a whole segment (%2A, %7B and %7D for the characters)";
  }
  std::string decoded(segment.size(), '\0');
  const auto size = decode_segment(segment, decoded);
  if (!size) return "a bad % escape, a control character, or not UTF-8";
  decoded.resize(*size);
  if (decoded == "." || decoded == "..") return "`.` and `..` never reach a pattern";
  return {};
}

// As many as any PathRules can make of it.
std::size_t count_segments(std::string_view path) {
  std::size_t count = 0;
  for (bool last = false; !last; ++count) last = next_segment(path, true).last;
  return count - 1;  // before the first slash there is nothing
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern pattern;
  std::string_view path = text;
  if (text.empty() || text[0] != '/') {
    const std::size_t space = text.find(' ');
    const std::string_view method = text.substr(0, space);
    if (space == std::string_view::npos && text.find('/') == std::string_view::npos) {
      return refuse(text, "a pattern is an optional method and a path, as in `GET /v1/users/{id}`");
    }
    if (std::string why = check_method(method); !why.empty()) return refuse(text, why);
    path = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
    pattern.method = method;
  }
  if (path.empty() || path[0] != '/') return refuse(text, "a path begins with `/`");
  if (path.size() > kMaxPath) return refuse(text, "a path has at most 8192 bytes");
  if (path.find_first_of("?#") != std::string_view::npos) {
    return refuse(text, "a pattern has no query string or fragment");
  }
  if (path.find(' ') != std::string_view::npos) return refuse(text, "a space in a path is %20");
  pattern.path = path;
  if (count_segments(path) > kMaxSegments) return refuse(text, "more than 128 segments");
  std::string_view rest = path.substr(1);
  for (bool last = rest.empty(); !last;) {
    const RawSegment segment = next_segment(rest, false);
    last = segment.last;
    if (pattern.any_rest) return refuse(text, "`**` is only allowed as the last segment");
    if (segment.text == "**") {
      pattern.any_rest = true;
      continue;
    }
    if (segment.text.empty() && !last) return refuse(text, "an empty segment (`//`)");
    if (!segment.text.empty()) {
      if (std::string why = check_segment(segment.text); !why.empty()) return refuse(text, why);
    }
    pattern.segments.emplace_back(segment.text);  // empty: a slash at the end
  }
  return pattern;
}

}  // namespace weir::policy
