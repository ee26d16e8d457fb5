// The part of JSON Schema 2020-12 that schema_json() uses, for tests: judge(schema, value).
//
// An unknown keyword is a failure of the test, so that the schema cannot outgrow its judge.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>

#include "policy/yaml_tree.h"

namespace weir::policy::testing {

namespace json = boost::json;

// A tree as the JSON that YAML's core schema makes of it.
inline json::value to_json(const Node& node) {
  if (node.is_mapping()) {
    json::object out;
    for (const Entry& entry : node.entries) out[entry.key] = to_json(entry.value);
    return out;
  }
  if (node.is_sequence()) {
    json::array out;
    for (const Node& item : node.items) out.push_back(to_json(item));
    return out;
  }
  switch (core_type(node)) {
    case Core::null:
      return nullptr;
    case Core::boolean:
      return node.text[0] == 't' || node.text[0] == 'T';
    case Core::integer:
    case Core::real:
      return std::strtod(node.text.c_str(), nullptr);
    case Core::text:
      return json::value(node.text);
  }
  return nullptr;
}

class SchemaCheck {
 public:
  explicit SchemaCheck(std::string_view schema) : schema_(json::parse(schema)) {}

  bool accepts(const json::value& value) { return judge(schema_.as_object(), value); }

 private:
  bool judge(const json::object& schema, const json::value& value) {
    bool good = true;
    for (const auto& [key, rule] : schema) good = keyword(schema, key, rule, value) && good;
    return good;
  }

  bool keyword(const json::object& schema, std::string_view key, const json::value& rule,
               const json::value& value) {
    if (key == "$schema" || key == "title" || key == "description" || key == "default") return true;
    if (key == "type") return has_type(rule.as_string(), value);
    if (key == "enum") {
      for (const json::value& one : rule.as_array()) {
        if (one == value) return true;
      }
      return false;
    }
    if (key == "const") return rule == value;
    if (key == "not") return !judge(rule.as_object(), value);
    if (key == "anyOf") {
      for (const json::value& one : rule.as_array()) {
        if (judge(one.as_object(), value)) return true;
      }
      return false;
    }
    if (key == "minimum")
      return !value.is_double() || value.as_double() >= rule.to_number<double>();
    if (key == "maximum")
      return !value.is_double() || value.as_double() <= rule.to_number<double>();
    if (key == "minLength") {
      return !value.is_string() || value.as_string().size() >= rule.to_number<std::size_t>();
    }
    if (key == "pattern") {
      return !value.is_string() || matches(rule.as_string(), value.as_string());
    }
    return structure(schema, key, rule, value);
  }

  bool structure(const json::object& schema, std::string_view key, const json::value& rule,
                 const json::value& value) {
    if (key == "items") {
      if (!value.is_array()) return true;
      for (const json::value& item : value.as_array()) {
        if (!judge(rule.as_object(), item)) return false;
      }
      return true;
    }
    if (!value.is_object()) {
      return key == "properties" || key == "required" || key == "propertyNames" ||
             key == "additionalProperties" || unknown(key);
    }
    const json::object& object = value.as_object();
    if (key == "required") {
      for (const json::value& name : rule.as_array()) {
        if (!object.contains(name.as_string())) return false;
      }
      return true;
    }
    const json::object* known = nullptr;
    if (const json::value* properties = schema.if_contains("properties")) {
      known = &properties->as_object();
    }
    for (const auto& [name, member] : object) {
      const json::value* own = known == nullptr ? nullptr : known->if_contains(name);
      if (key == "properties" && own != nullptr && !judge(own->as_object(), member)) return false;
      if (key == "propertyNames" && !judge(rule.as_object(), json::value(name))) return false;
      if (key == "additionalProperties" && own == nullptr) {
        if (rule.is_bool() ? !rule.as_bool() : !judge(rule.as_object(), member)) return false;
      }
    }
    return key == "properties" || key == "propertyNames" || key == "additionalProperties" ||
           unknown(key);
  }

  static bool unknown(std::string_view key) {
    ADD_FAILURE() << "keyword " << key;
    return false;
  }

  static bool has_type(std::string_view type, const json::value& value) {
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "number") return value.is_double();
    if (type == "integer") {
      return value.is_double() && value.as_double() == std::floor(value.as_double());
    }
    return unknown(type);
  }

  bool matches(std::string_view regex, std::string_view text) {
    auto [place, fresh] = regexes_.try_emplace(std::string(regex));
    if (fresh) place->second = std::regex(std::string(regex), std::regex::ECMAScript);
    return std::regex_search(std::string(text), place->second);
  }

  json::value schema_;
  std::map<std::string, std::regex> regexes_;
};

}  // namespace weir::policy::testing
