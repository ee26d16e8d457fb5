#include "policy/body_template.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weir::policy {
namespace {

constexpr int kMaxDepth = 32;

// Whether a text is one JSON value: RFC 8259, nothing else; depth bounded.
class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  bool object() {
    space();
    if (peek() != '{' || !value(0)) return false;
    space();
    return at_ == text_.size();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view w) {
    if (text_.substr(at_, w.size()) != w) return false;
    at_ += w.size();
    return true;
  }
  void space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool digits() {
    const std::size_t from = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > from;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }
  bool escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i, ++at_) {
        const char c = peek();
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
          return false;
      }
      return true;
    }
    const char c = peek();
    if (c == '\0' || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_++]);
      if (c == '"') return true;
      if (c < 0x20 || (c == '\\' && !escape())) return false;
    }
    return false;
  }
  bool members(char end, bool keys, int depth) {
    space();
    if (take(end)) return true;
    do {
      space();
      if (keys) {
        if (!string()) return false;
        space();
        if (!take(':')) return false;
      }
      if (!value(depth)) return false;
      space();
    } while (take(','));
    return take(end);
  }
  bool value(int depth) {
    space();
    if (depth > kMaxDepth) return false;
    if (take('{')) return members('}', true, depth + 1);
    if (take('[')) return members(']', false, depth + 1);
    if (peek() == '"') return string();
    return word("true") || word("false") || word("null") || number();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Error wrong(std::string_view text, std::size_t offset, std::string message) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = 1 + std::count(text.begin(), end, '\n');
  return {ErrorCode::invalid_argument,
          "body template, line " + std::to_string(line) + ": " + std::move(message), ""};
}

std::string known_names() {
  std::string names;
  for (const PlaceholderRow& row : kPlaceholders) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace

std::optional<Placeholder> placeholder(std::string_view name) {
  for (const PlaceholderRow& row : kPlaceholders) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

std::optional<TemplateScanner::Piece> TemplateScanner::next() {
  if (at_ == text_.size()) return std::nullopt;
  if (text_.substr(at_, 2) == "{{") {
    const std::size_t end = text_.find("}}", at_);
    Piece piece{text_.substr(at_ + 2, end - at_ - 2), true, in_string_, end != text_.npos};
    at_ = piece.closed ? end + 2 : text_.size();
    const std::size_t first = piece.text.find_first_not_of(' ');
    const std::size_t last = piece.text.find_last_not_of(' ');
    piece.text = first == piece.text.npos ? "" : piece.text.substr(first, last - first + 1);
    return piece;
  }
  const std::size_t from = at_;
  while (at_ < text_.size() && text_.substr(at_, 2) != "{{") {
    if (in_string_ && text_[at_] == '\\' && at_ + 1 < text_.size()) {
      ++at_;
    } else if (text_[at_] == '"') {
      in_string_ = !in_string_;
    }
    ++at_;
  }
  return Piece{text_.substr(from, at_ - from), false, in_string_, true};
}

Result<void> check_template(std::string_view text) {
  std::string sample;
  TemplateScanner scanner(text);
  for (std::size_t at = 0; const auto piece = scanner.next(); at = scanner.offset()) {
    if (!piece->is_placeholder) {
      sample += piece->text;
    } else if (!piece->closed) {
      return wrong(text, at, "`{{` has no `}}`");
    } else if (!placeholder(piece->text)) {
      return wrong(
          text, at,
          "unknown placeholder `" + std::string(piece->text) + "`; there are: " + known_names());
    } else {
      sample += '0';  // good inside a string and as a value
    }
  }
  if (!JsonCheck(sample).object()) {
    return wrong(text, 0, "not a JSON object (a denial's body is one, placeholders filled in)");
  }
  if (sample.size() > kMaxTemplate) {
    return wrong(text, 0,
                 std::to_string(sample.size()) + " bytes; a body has room for " +
                     std::to_string(kMaxTemplate) + " beside its values");
  }
  return {};
}

}  // namespace weir::policy
