#include "answer/testing/sf_parser.h"

#include <algorithm>

namespace weir::answer::sf {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool alpha(char c) { return lower(c) || (c >= 'A' && c <= 'Z'); }
bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool token_char(char c) { return alpha(c) || digit(c) || one_of(c, "!#$%&'*+-.^_`|~:/"); }

template <typename T>
void overwrite(std::vector<std::pair<std::string, T>>& map, std::string key, T value) {
  // The last of equal keys wins and stands where the first stood.
  const auto same = [&](const auto& entry) { return entry.first == key; };
  const auto earlier = std::find_if(map.begin(), map.end(), same);
  if (earlier != map.end()) {
    earlier->second = std::move(value);
  } else {
    map.emplace_back(std::move(key), std::move(value));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip(" "); }

  bool finished() {
    skip(" ");
    return at_ == text_.size();
  }

  bool list(List& out) {
    while (at_ < text_.size()) {
      if (!member(out.emplace_back())) return false;
      if (!comma()) return false;
    }
    return true;
  }

  bool dictionary(Dictionary& out) {
    while (at_ < text_.size()) {
      std::string name;
      Item entry;
      if (!key(name)) return false;
      if (take('=')) {
        if (!member(entry)) return false;
      } else {
        entry.value = {Kind::boolean, "1"};
        if (!parameters(entry.parameters)) return false;
      }
      overwrite(out, std::move(name), std::move(entry));
      if (!comma()) return false;
    }
    return true;
  }

  bool item(Item& out) { return bare(out.value) && parameters(out.parameters); }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip(std::string_view set) {
    while (at_ < text_.size() && one_of(text_[at_], set)) ++at_;
  }

  // Behind a member: the end, or a comma with something behind it.
  bool comma() {
    skip(" \t");
    if (at_ == text_.size()) return true;
    if (!take(',')) return false;
    skip(" \t");
    return at_ < text_.size();
  }

  bool member(Item& out) { return peek() == '(' ? inner_list(out) : item(out); }

  bool inner_list(Item& out) {
    out.value.kind = Kind::inner_list;
    ++at_;
    while (at_ < text_.size()) {
      skip(" ");
      if (take(')')) return parameters(out.parameters);
      if (!item(out.inner.emplace_back())) return false;
      if (peek() != ' ' && peek() != ')') return false;
    }
    return false;
  }

  bool key(std::string& out) {
    if (!lower(peek()) && peek() != '*') return false;
    while (at_ < text_.size() && (lower(peek()) || digit(peek()) || one_of(peek(), "_-.*"))) {
      out += text_[at_++];
    }
    return true;
  }

  bool parameters(Parameters& out) {
    while (take(';')) {
      skip(" ");
      std::string name;
      if (!key(name)) return false;
      Value value;
      if (!take('=')) {
        value = {Kind::boolean, "1"};
      } else if (!bare(value)) {
        return false;
      }
      overwrite(out, std::move(name), std::move(value));
    }
    return true;
  }

  bool bare(Value& out) {
    const char c = peek();
    if (at_ == text_.size()) return false;
    if (digit(c) || c == '-') return number(out);
    if (c == '"') return string(out);
    if (alpha(c) || c == '*') return token(out);
    if (c == ':') return bytes(out);
    if (c == '?') return boolean(out);
    if (c == '@') return date(out);
    if (c == '%') return display(out);
    return false;
  }

  bool number(Value& out) {
    const bool negative = take('-');
    std::string whole;
    std::string fraction;
    bool decimal = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (digit(c)) {
        (decimal ? fraction : whole) += c;
      } else if (c == '.' && !decimal && !whole.empty()) {
        if (whole.size() > 12) return false;
        decimal = true;
      } else {
        break;
      }
      ++at_;
      if (!decimal && whole.size() > 15) return false;
      if (decimal && fraction.size() > 3) return false;
    }
    if (whole.empty() || (decimal && fraction.empty())) return false;
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    out.kind = decimal ? Kind::decimal : Kind::integer;
    out.text = (negative ? "-" : "") + whole + (decimal ? "." + fraction : "");
    return true;
  }

  bool string(Value& out) {
    out.kind = Kind::string;
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\\') {
        if (at_ == text_.size() || !one_of(text_[at_], "\"\\")) return false;
        out.text += text_[at_++];
      } else if (c == '"') {
        return true;
      } else if (c < 0x20 || c > 0x7E) {
        return false;
      } else {
        out.text += c;
      }
    }
    return false;
  }

  bool token(Value& out) {
    out.kind = Kind::token;
    while (at_ < text_.size() && token_char(text_[at_])) out.text += text_[at_++];
    return true;
  }

  bool bytes(Value& out) {
    out.kind = Kind::bytes;
    const std::size_t end = text_.find(':', ++at_);
    if (end == std::string_view::npos) return false;
    out.text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::all_of(out.text.begin(), out.text.end(),
                       [](char c) { return alpha(c) || digit(c) || one_of(c, "+/="); });
  }

  bool boolean(Value& out) {
    ++at_;
    if (!one_of(peek(), "01") || at_ == text_.size()) return false;
    out = {Kind::boolean, std::string(1, text_[at_++])};
    return true;
  }

  bool date(Value& out) {
    ++at_;
    if (!number(out) || out.kind != Kind::integer) return false;
    out.kind = Kind::date;
    return true;
  }

  bool display(Value& out) {
    out.kind = Kind::display;
    ++at_;
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c < 0x20 || c > 0x7E) return false;
      if (c == '"') return true;
      if (c == '%') {
        for (int i = 0; i < 2; ++i) {
          const char h = at_ + static_cast<std::size_t>(i) < text_.size()
                             ? text_[at_ + static_cast<std::size_t>(i)]
                             : '\0';
          if (!digit(h) && !(h >= 'a' && h <= 'f')) return false;
        }
      }
      out.text += c;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void put(std::string& out, const Value& value) {
  switch (value.kind) {
    case Kind::string:
      out += '"';
      for (const char c : value.text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
      }
      out += '"';
      return;
    case Kind::bytes:
      out += ":" + value.text + ":";
      return;
    case Kind::boolean:
      out += "?" + value.text;
      return;
    case Kind::date:
      out += "@" + value.text;
      return;
    case Kind::display:
      out += "%\"" + value.text + "\"";
      return;
    default:
      out += value.text;
  }
}

void put(std::string& out, const Item& item) {
  if (item.value.kind == Kind::inner_list) {
    out += '(';
    for (std::size_t i = 0; i < item.inner.size(); ++i) {
      if (i > 0) out += ' ';
      put(out, item.inner[i]);
    }
    out += ')';
  } else {
    put(out, item.value);
  }
  for (const auto& [name, value] : item.parameters) {
    out += ";" + name;
    if (value == Value{Kind::boolean, "1"}) continue;
    out += '=';
    put(out, value);
  }
}

}  // namespace

std::optional<List> parse_list(std::string_view text) {
  Parser parser(text);
  List list;
  if (!parser.list(list) || !parser.finished()) return std::nullopt;
  return list;
}

std::optional<Dictionary> parse_dictionary(std::string_view text) {
  Parser parser(text);
  Dictionary dictionary;
  if (!parser.dictionary(dictionary) || !parser.finished()) return std::nullopt;
  return dictionary;
}

std::optional<Item> parse_item(std::string_view text) {
  Parser parser(text);
  Item item;
  if (!parser.item(item) || !parser.finished()) return std::nullopt;
  return item;
}

std::string serialize(const List& list) {
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    put(out, list[i]);
  }
  return out;
}

}  // namespace weir::answer::sf
