// Apache's LogFormat: which directive is which field
// (httpd.apache.org/docs/2.4/mod/mod_log_config.html). %t is when the request came.
#include <optional>

#include "traffic/format/pattern.h"

namespace weir::traffic {
namespace {

Error wrong(std::string what) {
  return {ErrorCode::invalid_argument, std::move(what), "LogFormat"};
}

struct Directive {
  std::string argument;  // of %{...}x
  char letter = 0;
  std::string text;  // as written
};

// %{format}t
std::optional<FieldSpec> time_field(std::string_view format) {
  FieldSpec field;
  if (format.starts_with("begin:")) format.remove_prefix(6);
  if (format.starts_with("end:")) {
    format.remove_prefix(4);
    field.time_is_end = true;
  }
  field.kind = FieldKind::time_number;
  if (format == "sec") field.unit_ns = 1'000'000'000;
  if (format == "msec") field.unit_ns = 1'000'000;
  if (format == "usec") field.unit_ns = 1'000;
  if (format == "sec" || format == "msec" || format == "usec") return field;
  field.kind = FieldKind::time_fraction;
  if (format == "msec_frac") field.unit_ns = 1'000'000;
  if (format == "usec_frac") field.unit_ns = 1'000;
  if (format == "msec_frac" || format == "usec_frac") return field;
  field.kind = FieldKind::time_iso;
  if (format == "%Y-%m-%dT%H:%M:%S%z" || format == "%FT%T%z" || format == "%F %T %z" ||
      format == "%Y-%m-%d %H:%M:%S %z" || format == "%Y-%m-%d %H:%M:%S" || format == "%F %T" ||
      format == "%FT%T" || format == "%Y-%m-%dT%H:%M:%S") {
    return field;
  }
  field.kind = FieldKind::time_common;
  if (format == "%d/%b/%Y:%H:%M:%S %z" || format == "%d/%b/%Y:%T %z") return field;
  return std::nullopt;
}

FieldSpec header_field(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (lower == "user-agent") return {FieldKind::user_agent};
  return {FieldKind::header, std::move(lower)};
}

Result<FieldSpec> field_of(const Directive& d) {
  switch (d.letter) {
    case 'h':
      return FieldSpec{FieldKind::client};
    case 'a':
      return FieldSpec{d.argument == "c" ? FieldKind::skip : FieldKind::client};
    case 'u':
      return FieldSpec{FieldKind::attribute, "user"};
    case 'r':
      return FieldSpec{FieldKind::request};
    case 'm':
      return FieldSpec{FieldKind::method};
    case 'U':
      return FieldSpec{FieldKind::path};
    case 'q':
      return FieldSpec{FieldKind::args};
    case 's':
      return FieldSpec{FieldKind::status};
    case 'b':
    case 'B':
    case 'O':
      return FieldSpec{FieldKind::bytes};
    case 'D':
      return FieldSpec{FieldKind::duration, "", 1'000};
    case 'T':
      return FieldSpec{FieldKind::duration, "",
                       d.argument == "ms"   ? 1'000'000
                       : d.argument == "us" ? 1'000
                                            : 1'000'000'000};
    case 'i':
      return header_field(d.argument);
    case 't': {
      if (d.argument.empty()) return FieldSpec{FieldKind::time_common};
      if (auto field = time_field(d.argument)) return *field;
      return wrong("the time " + d.text +
                   " is in a form that is not read: use %t, %{usec}t, %{msec}t, %{sec}t or "
                   "%{%Y-%m-%dT%H:%M:%S%z}t");
    }
    default:
      return FieldSpec{};
  }
}

// The directive at the `%` of `format[at]`; `at` is then behind it.
Result<Directive> read_directive(std::string_view format, std::size_t& at) {
  Directive d;
  const std::size_t begin = at++;
  // Conditions on the status (!200,304) and which request of a redirect (> <) say nothing of where
  // a value stands.
  at = std::min(format.find_first_not_of("!0123456789,<>", at), format.size());
  if (at < format.size() && format[at] == '{') {
    const std::size_t close = format.find('}', at);
    if (close == std::string_view::npos) {
      return wrong("a `{` at character " + std::to_string(at + 1) + " has no `}`");
    }
    d.argument = format.substr(at + 1, close - at - 1);
    at = std::min(format.find_first_not_of("<>", close + 1), format.size());
  }
  if (at < format.size() && format[at] == '^') ++at;  // %^FB, %{name}^ti: two letters
  if (at >= format.size()) {
    return wrong("the `%` at character " + std::to_string(begin + 1) + " is followed by no letter");
  }
  d.letter = format[at++];
  if (format[at - 2] == '^' && at < format.size()) {
    d.letter = '^';
    ++at;
  }
  d.text = format.substr(begin, at - begin);
  return d;
}

// `LogFormat "..." name` is what stands in its quotes, without their escapes.
Result<std::string> format_of(std::string_view text) {
  static constexpr std::string_view kWord = "LogFormat";
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with(kWord)) {
    return std::string(text);
  }
  const std::size_t quote = text.find('"', begin);
  if (quote == std::string_view::npos) return wrong("there is no string in quotes");
  std::string format;
  for (std::size_t i = quote + 1; i < text.size(); ++i) {
    if (text[i] == '"') return format;
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    format += text[i];
  }
  return wrong("the string has no closing quote");
}

}  // namespace

Result<Pattern> apache_pattern(std::string_view text) {
  const auto unquoted = format_of(text);
  if (!unquoted) return unquoted.error();
  const std::string_view format = *unquoted;
  Pattern pattern;
  std::string* literal = &pattern.before;
  Directive last;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      *literal += format[at++];
      continue;
    }
    if (format.substr(at, 2) == "%%") {
      *literal += '%';
      at += 2;
      continue;
    }
    auto d = read_directive(format, at);
    if (!d) return d.error();
    auto field = field_of(*d);
    if (!field) return field.error();
    if (!pattern.steps.empty() && literal->empty()) {
      if (last.letter != 'U' || d->letter != 'q') {
        return wrong("there is nothing between " + last.text + " and " + d->text +
                     ": where the one ends cannot be seen; put a space or quotes between them");
      }
      pattern.steps.back().field.kind = FieldKind::target;  // %U%q: one target
      last = *d;
      continue;
    }
    if (d->letter == 't' && d->argument.empty()) {  // it writes its own brackets
      *literal += '[';
      pattern.steps.push_back({*field, "]"});
    } else {
      pattern.steps.push_back({*field, ""});
    }
    literal = &pattern.steps.back().after;
    last = *d;
  }
  if (pattern.steps.empty()) return wrong("there is no directive in it");
  return pattern;
}

}  // namespace weir::traffic
