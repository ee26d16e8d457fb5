// A strict parser of structured fields (RFC 9651) for tests: what a conforming client reads.
//
//   sf::List list = *sf::parse_list(R"("a";q=1)");   // nullopt: the whole field is to be ignored
//   list[0].value == sf::Value{sf::Kind::string, "a"}; list[0].parameter("q")->integer();
//
// Follows the RFC's parsing algorithms step by step; dates, display strings and inner lists too.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::answer::sf {

enum class Kind { integer, decimal, string, token, bytes, boolean, date, display, inner_list };

struct Value {
  Kind kind = Kind::boolean;
  std::string text;  // canonical digits, or the unescaped text; bytes: base64 as it stood
  friend bool operator==(const Value&, const Value&) = default;

  std::optional<std::int64_t> integer() const {
    if (kind != Kind::integer) return std::nullopt;
    return std::strtoll(text.c_str(), nullptr, 10);
  }
};

using Parameters = std::vector<std::pair<std::string, Value>>;

struct Item {
  Value value;
  std::vector<Item> inner;  // of an inner list
  Parameters parameters;

  const Value* parameter(std::string_view key) const {
    for (const auto& [name, value_of] : parameters) {
      if (name == key) return &value_of;
    }
    return nullptr;
  }
};

using List = std::vector<Item>;
using Dictionary = std::vector<std::pair<std::string, Item>>;

std::optional<List> parse_list(std::string_view text);
std::optional<Dictionary> parse_dictionary(std::string_view text);
std::optional<Item> parse_item(std::string_view text);

// The canonical form (RFC 9651, section 4.1).
std::string serialize(const List& list);

}  // namespace weir::answer::sf
