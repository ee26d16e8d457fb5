#include "traffic/format/json_lines.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace weir::traffic {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kNoObject = "the line is no JSON object";
constexpr std::string_view kNoJson = "the line is no JSON";
constexpr std::string_view kTooDeep = "objects lie in objects more than 32 deep";
constexpr unsigned kMostDepth = 32;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// The names that a format asks for, as a tree: a level for each dot.
struct Node {
  std::string name;
  std::size_t slot = kNowhere;  // where its value goes
  std::vector<Node> inner{};

  const Node* find(std::string_view key) const {
    for (const Node& node : inner) {
      if (node.name == key) return &node;
    }
    return nullptr;
  }
  Node& child(std::string_view key) {
    for (Node& node : inner) {
      if (node.name == key) return node;
    }
    return inner.emplace_back(Node{std::string(key)});
  }
};

class JsonParser final : public Parser {
 public:
  explicit JsonParser(const JsonFormat& format) : fields_(format.fields) {
    for (const NamedField& field : format.fields) slot_by_field_.push_back(slot_of(field.name));
    for (const std::string& name : format.needs) needs_.push_back(slot_of(name));
    values_.resize(slots_);
  }

  Parsed parse(std::string_view line, Record& record) override {
    record.clear();
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // some programs begin a file so
    if (line.find_first_not_of(" \t") == std::string_view::npos) return Parsed::nothing;
    // simdjson reads some bytes beyond the end.
    if (buffer_.size() < line.size() + simdjson::SIMDJSON_PADDING) {
      buffer_.resize(2 * line.size() + simdjson::SIMDJSON_PADDING);
    }
    std::memcpy(buffer_.data(), line.data(), line.size());
    std::memset(buffer_.data() + line.size(), ' ', simdjson::SIMDJSON_PADDING);
    std::fill(values_.begin(), values_.end(), std::nullopt);
    too_deep_ = false;
    json::document document;
    json::object object;
    if (parser_.iterate(buffer_.data(), line.size(), buffer_.size()).get(document) != 0) {
      return reject(kNoJson);
    }
    if (const auto error = document.get_object().get(object); error != 0) {
      return reject(error == simdjson::INCORRECT_TYPE ? kNoObject : kNoJson);
    }
    if (!walk(object, &root_, 0)) return reject(too_deep_ ? kTooDeep : kNoJson);
    // Out of bounds: nothing is left.
    const char* rest = nullptr;
    if (document.current_location().get(rest) == 0) {
      return reject("more stands behind the JSON object");
    }
    return fill(record);
  }

 private:
  // A name with dots is also the name of a member as it is: "http.request.method".
  std::size_t slot_of(const std::string& name) {
    Node* node = &root_;
    for (std::size_t at = 0; at <= name.size();) {
      const std::size_t dot = std::min(name.find('.', at), name.size());
      node = &node->child(std::string_view(name).substr(at, dot - at));
      at = dot + 1;
    }
    if (node->slot != kNowhere) return node->slot;
    const std::size_t slot = slots_++;
    node->slot = slot;
    root_.child(name).slot = slot;
    return slot;
  }

  Parsed fill(Record& record) {
    for (const std::size_t slot : needs_) {
      if (!values_[slot]) return Parsed::nothing;
    }
    FieldSink sink(record);
    const auto value = [this](std::size_t i) {
      return values_[slot_by_field_[i]].value_or(std::string_view());
    };
    if (const auto why = fields_.put(sink, value, common_); !why.empty()) return reject(why);
    scratch_.clear();
    scratch_.reserve(buffer_.size() + 1);
    if (const auto why = sink.finish(scratch_); !why.empty()) return reject(why);
    return Parsed::request;
  }

  // All of it is read, asked for or not: what is no JSON is found. `node` may be null.
  bool walk(json::object object, const Node* node, unsigned depth) {
    if (depth == kMostDepth) {
      too_deep_ = true;
      return false;
    }
    for (auto member : object) {
      std::string_view key;
      json::value value;
      if (member.unescaped_key().get(key) != 0 || member.value().get(value) != 0) return false;
      if (!take(value, node == nullptr ? nullptr : node->find(key), depth)) return false;
    }
    return true;
  }

  bool take(json::value value, const Node* node, unsigned depth) {
    json::json_type type{};
    if (value.type().get(type) != 0) return false;
    if (type == json::json_type::object) {
      json::object object;
      return value.get_object().get(object) == 0 && walk(object, node, depth + 1);
    }
    if (type == json::json_type::array) {
      json::array array;
      return value.get_array().get(array) == 0 && walk(array, node, depth + 1);
    }
    std::string_view text;
    if (!scalar(value, type, text)) return false;
    set(node, text);
    return true;
  }

  void set(const Node* node, std::string_view text) {
    if (node == nullptr || node->slot == kNowhere || text.data() == nullptr) return;
    if (!values_[node->slot]) values_[node->slot] = text;
  }

  static bool scalar(json::value& value, json::json_type type, std::string_view& text) {
    switch (type) {
      case json::json_type::string:
        return value.get_string().get(text) == 0;
      case json::json_type::number: {
        text = value.raw_json_token();
        while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') {
          text.remove_suffix(1);
        }
        json::number number;
        return value.get_number().get(number) == 0;
      }
      case json::json_type::boolean: {
        bool yes = false;
        if (value.get_bool().get(yes) != 0) return false;
        text = yes ? "true" : "false";
        return true;
      }
      default:
        text = {};
        return value.is_null();
    }
  }

  bool walk(json::array array, const Node* node, unsigned depth) {
    if (depth == kMostDepth) {
      too_deep_ = true;
      return false;
    }
    for (auto element : array) {
      json::value value;
      json::json_type type{};
      if (element.get(value) != 0 || value.type().get(type) != 0) return false;
      json::object object;
      if (type != json::json_type::object) {
        if (!take(value, node, depth)) return false;
      } else if (value.get_object().get(object) != 0 || !pair(object, node, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  // {"name": "Host", "value": "x"}, {"key": "http.route", "value": {"stringValue": "/x"}}: the
  // value under that name. The name stands first, as who writes such lists has it.
  bool pair(json::object object, const Node* node, unsigned depth) {
    if (depth == kMostDepth) {
      too_deep_ = true;
      return false;
    }
    const Node* named = nullptr;
    for (auto member : object) {
      std::string_view key;
      json::value value;
      json::json_type type{};
      if (member.unescaped_key().get(key) != 0 || member.value().get(value) != 0 ||
          value.type().get(type) != 0) {
        return false;
      }
      if ((key == "name" || key == "key") && type == json::json_type::string) {
        std::string_view name;
        if (value.get_string().get(name) != 0) return false;
        if (node != nullptr) named = node->find(name);
        if (named == nullptr) named = root_.find(name);
      } else if (key == "value" && type == json::json_type::object) {
        json::object inner;
        if (value.get_object().get(inner) != 0 || !first_scalar(inner, named, depth + 1)) {
          return false;
        }
      } else if (!take(value, key == "value" ? named : nullptr, depth)) {
        return false;
      }
    }
    return true;
  }

  bool first_scalar(json::object object, const Node* node, unsigned depth) {
    for (auto member : object) {
      json::value value;
      if (member.value().get(value) != 0 || !take(value, node, depth)) return false;
    }
    return true;
  }

  NamedFields fields_;
  Node root_{};
  std::size_t slots_ = 0;
  std::vector<std::size_t> slot_by_field_;
  std::vector<std::size_t> needs_;
  std::vector<std::optional<std::string_view>> values_;  // by slot, of this line
  std::vector<char> buffer_;
  std::string scratch_;
  json::parser parser_;
  CommonTime common_;
  bool too_deep_ = false;
};

}  // namespace

std::unique_ptr<Parser> make_json_parser(const JsonFormat& format) {
  return std::make_unique<JsonParser>(format);
}

}  // namespace weir::traffic
