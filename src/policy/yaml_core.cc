// The types of YAML 1.2's core schema, recognised and nothing more.
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "policy/yaml_tree.h"

namespace weir::policy {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), is_digit);
}

bool is_one_of(std::string_view s, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), s) != words.end();
}

bool is_integer(std::string_view s) {
  if (s.starts_with("0x")) {
    return s.size() > 2 && s.find_first_not_of("0123456789abcdefABCDEF", 2) == s.npos;
  }
  if (s.starts_with("0o")) return s.size() > 2 && s.find_first_not_of("01234567", 2) == s.npos;
  if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
  return all_digits(s);
}

bool is_real(std::string_view s) {
  if (is_one_of(s, {".nan", ".NaN", ".NAN"})) return true;
  if (s.starts_with('-') || s.starts_with('+')) s.remove_prefix(1);
  if (is_one_of(s, {".inf", ".Inf", ".INF"})) return true;
  const std::size_t e = s.find_first_of("eE");
  if (e != s.npos) {
    std::string_view exponent = s.substr(e + 1);
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    if (!all_digits(exponent)) return false;
    s = s.substr(0, e);
  }
  const std::size_t dot = s.find('.');
  const std::string_view whole = s.substr(0, dot);
  const std::string_view part = dot == s.npos ? std::string_view{} : s.substr(dot + 1);
  if (whole.empty()) return all_digits(part);
  return all_digits(whole) && (part.empty() || all_digits(part));
}

}  // namespace

Core core_type(const Node& scalar) {
  const std::string_view s = scalar.text;
  if (scalar.quoted) return Core::text;
  if (is_one_of(s, {"", "~", "null", "Null", "NULL"})) return Core::null;
  if (is_one_of(s, {"true", "True", "TRUE", "false", "False", "FALSE"})) return Core::boolean;
  if (is_integer(s)) return Core::integer;
  return is_real(s) ? Core::real : Core::text;
}

}  // namespace weir::policy
