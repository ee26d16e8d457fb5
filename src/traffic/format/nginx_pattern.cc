// nginx's log_format: which variable is which field
// (nginx.org/en/docs/http/ngx_http_log_module.html). A line is written when the request has ended.
#include <array>

#include "traffic/format/pattern.h"

namespace weir::traffic {
namespace {

struct Variable {
  std::string_view name;
  FieldSpec field;
};

const std::array kVariables{
    Variable{"remote_addr", {FieldKind::client}},
    Variable{"remote_user", {FieldKind::attribute, "user"}},
    Variable{"time_local", {FieldKind::time_common, "", 0, true}},
    Variable{"time_iso8601", {FieldKind::time_iso, "", 0, true}},
    Variable{"msec", {FieldKind::time_number, "", 1'000'000'000, true}},
    Variable{"request", {FieldKind::request}},
    Variable{"request_method", {FieldKind::method}},
    Variable{"request_uri", {FieldKind::target}},
    Variable{"uri", {FieldKind::path}},
    Variable{"document_uri", {FieldKind::path}},
    Variable{"args", {FieldKind::args}},
    Variable{"query_string", {FieldKind::args}},
    Variable{"status", {FieldKind::status}},
    Variable{"body_bytes_sent", {FieldKind::bytes}},
    Variable{"bytes_sent", {FieldKind::bytes}},
    Variable{"request_time", {FieldKind::duration, "", 1'000'000'000}},
    Variable{"http_user_agent", {FieldKind::user_agent}},
    Variable{"host", {FieldKind::header, "host"}},
    Variable{"limit_req_status", {FieldKind::limited, "REJECTED"}},
};

// Any other variable is passed over: a user's own are many.
FieldSpec field_of(std::string_view variable) {
  for (const Variable& known : kVariables) {
    if (known.name == variable) return known.field;
  }
  if (variable.starts_with("http_")) {
    std::string name(variable.substr(5));
    for (char& c : name) c = c == '_' ? '-' : c;
    return {FieldKind::header, std::move(name)};
  }
  return {};
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The strings of a directive put together: log_format main escape=json '$a' '$b';
struct Directive {
  std::string format;
  bool decode = true;
};

Result<Directive> read_directive(std::string_view text) {
  static constexpr std::string_view kWord = "log_format";
  const auto wrong = [](std::string what) {
    return Error{ErrorCode::invalid_argument, std::move(what), "log_format"};
  };
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(kWord)) {
    return Directive{std::string(text)};
  }
  Directive directive;
  text.remove_prefix(begin + kWord.size());
  const std::size_t quote = text.find_first_of("'\"");
  if (quote == std::string_view::npos) return wrong("there is no string in quotes");
  if (text.substr(0, quote).find("escape=none") != std::string_view::npos) directive.decode = false;
  for (std::size_t i = quote; i < text.size();) {
    const char open = text[i];
    if (open == ';') break;
    if (open != '\'' && open != '"') {
      ++i;
      continue;
    }
    for (++i; i < text.size() && text[i] != open; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      directive.format += text[i];
    }
    if (i == text.size()) return wrong("a string has no closing quote");
    ++i;
  }
  return directive;
}

}  // namespace

Result<Pattern> nginx_pattern(std::string_view text) {
  auto directive = read_directive(text);
  if (!directive) return directive.error();
  const std::string_view format = directive->format;
  Pattern pattern;
  pattern.decode = directive->decode;
  std::string* literal = &pattern.before;
  std::string last;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '$') {
      *literal += format[i++];
      continue;
    }
    const bool braces = i + 1 < format.size() && format[i + 1] == '{';
    std::size_t begin = i + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < format.size() && is_name(format[end])) ++end;
    const std::string name(format.substr(begin, end - begin));
    if (name.empty() || (braces && (end == format.size() || format[end] != '}'))) {
      return Error{ErrorCode::invalid_argument,
                   "a `$` at character " + std::to_string(i + 1) + " is followed by no variable",
                   "log_format"};
    }
    i = end + (braces ? 1 : 0);
    if (!pattern.steps.empty() && literal->empty()) {
      // $uri$is_args$args: one target.
      if (last == "uri" && (name == "is_args" || name == "args")) {
        pattern.steps.back().field.kind = FieldKind::target;
        continue;
      }
      return Error{ErrorCode::invalid_argument,
                   "there is nothing between $" + last + " and $" + name +
                       ": where the one ends cannot be seen; put a space or quotes between them",
                   "log_format"};
    }
    pattern.steps.push_back({field_of(name), ""});
    literal = &pattern.steps.back().after;
    last = name;
  }
  if (pattern.steps.empty()) {
    return Error{ErrorCode::invalid_argument, "there is no variable in it", "log_format"};
  }
  return pattern;
}

}  // namespace weir::traffic
