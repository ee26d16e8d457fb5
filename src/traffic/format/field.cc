#include "traffic/format/field.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace weir::traffic {
namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_status(std::string_view text, std::uint16_t& status) {
  if (text.size() > 3) return false;
  unsigned number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  status = static_cast<std::uint16_t>(number);
  return true;
}

// AWS writes -1 where it does not know; nginx and Apache `-`.
bool is_absent(std::string_view value) { return value.empty() || value == "-" || value == "-1"; }

// A number of seconds, or of thousandths, millionths or billionths: 1e11 seconds are the year 5138,
// and 1e11 of a thousandth 1973.
std::optional<std::int64_t> parse_number_time(std::string_view value) {
  const std::size_t digits = std::min(value.find('.'), value.size());
  std::int64_t unit_ns = 1'000'000'000;
  if (digits > 11) unit_ns = 1'000'000;
  if (digits > 14) unit_ns = 1'000;
  if (digits > 17) unit_ns = 1;
  return parse_decimal(value, unit_ns);
}

std::optional<std::int64_t> parse_any_time(std::string_view value, CommonTime& common) {
  if (value.size() > 2 && value.front() == '[' && value.back() == ']') {
    value = value.substr(1, value.size() - 2);
  }
  if (const auto ns = parse_iso8601(value)) return ns;
  if (const auto ns = parse_number_time(value)) return ns;
  if (const auto ns = common.parse(value)) return ns;
  if (const auto ns = parse_haproxy_time(value)) return ns;
  return parse_slashed_time(value);
}

}  // namespace

bool is_method(std::string_view text) {
  if (text.empty() || text.size() > 32) return false;
  for (const char c : text) {
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (!letter && c != '-' && c != '_') return false;
  }
  return true;
}

std::string_view FieldSink::put(const FieldSpec& spec, std::string_view value, CommonTime& common) {
  if (spec.kind == FieldKind::skip) return {};
  if (spec.kind == FieldKind::request) {
    put_request(value);
    return {};
  }
  if (is_absent(value)) return {};
  std::uint64_t number = 0;
  switch (spec.kind) {
    case FieldKind::client:
      record_.client = value;
      return {};
    case FieldKind::attribute:
      record_.add_attribute(spec.name, value);
      return {};
    case FieldKind::header:
      record_.add_header(spec.name, value);
      return {};
    case FieldKind::user_agent:
      record_.user_agent = value;
      return {};
    case FieldKind::method:
      if (is_method(value)) record_.method = value;
      return {};
    case FieldKind::target:
      record_.target = value;
      return {};
    case FieldKind::path:
      path_ = value;
      return {};
    case FieldKind::args:
      args_ = value;
      return {};
    case FieldKind::status:
      return read_status(value, record_.status) ? "" : "the status is no number of three digits";
    case FieldKind::bytes:
      return read_number(value, record_.bytes) ? "" : "the bytes sent are no whole number";
    case FieldKind::cost:
      if (!read_number(value, number)) return "a cost is no whole number";
      return record_.add_cost(spec.name, number) ? "" : "more costs than a request can have";
    case FieldKind::duration: {
      const auto ns = parse_decimal(value, spec.unit_ns);
      if (!ns) return "the duration is no number";
      record_.duration_ns = *ns;
      return {};
    }
    case FieldKind::limited:
      if (value == spec.name) record_.limited = true;
      return {};
    default:
      return put_time(spec, value, common);
  }
}

std::string_view FieldSink::put_time(const FieldSpec& spec, std::string_view value,
                                     CommonTime& common) {
  std::optional<std::int64_t> ns;
  switch (spec.kind) {
    case FieldKind::time_common:
      ns = common.parse(value);
      break;
    case FieldKind::time_iso:
      ns = parse_iso8601(value);
      break;
    case FieldKind::time_haproxy:
      ns = parse_haproxy_time(value);
      break;
    case FieldKind::time_slashed:
      ns = parse_slashed_time(value);
      break;
    case FieldKind::time_number:
      ns = parse_decimal(value, spec.unit_ns);
      break;
    case FieldKind::time_any:
      ns = parse_any_time(value, common);
      break;
    case FieldKind::time_fraction:
      ns = parse_decimal(value, spec.unit_ns);
      if (ns) fraction_ns_ = *ns;
      return ns && *ns < 1'000'000'000 ? "" : "the fraction of the second is no number";
    case FieldKind::date:
      date_ = value;
      return {};
    case FieldKind::time_of_day:
      time_of_day_ = value;
      return {};
    default:
      return {};
  }
  if (!ns) return "the time is not in the form that the format has";
  record_.time_ns = *ns;
  record_.time_is_end = spec.time_is_end;
  return {};
}

// What is no request line (binary, empty, a bare word) stays a request without method and target.
void FieldSink::put_request(std::string_view value) {
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos || !is_method(value.substr(0, space))) return;
  std::string_view target = value.substr(space + 1);
  const std::size_t last = target.rfind(' ');
  if (last != std::string_view::npos && target.substr(last + 1).starts_with("HTTP/")) {
    target = target.substr(0, last);
  }
  if (target.empty()) return;
  record_.method = value.substr(0, space);
  record_.target = target;
}

std::string_view FieldSink::finish(std::string& scratch) {
  if (!path_.empty()) {
    record_.target = path_;
    if (!args_.empty()) {
      const std::size_t begin = scratch.size();
      scratch += path_;
      if (args_[0] != '?') scratch += '?';
      scratch += args_;
      record_.target = std::string_view(scratch).substr(begin);
    }
  }
  if (!date_.empty() && !time_of_day_.empty()) {
    std::array<char, 40> text;
    if (date_.size() + time_of_day_.size() + 1 > text.size()) return "the date is too long";
    char* end = std::copy(date_.begin(), date_.end(), text.data());
    *end++ = 'T';
    end = std::copy(time_of_day_.begin(), time_of_day_.end(), end);
    const auto ns = parse_iso8601({text.data(), static_cast<std::size_t>(end - text.data())});
    if (!ns) return "the time is not in the form that the format has";
    record_.time_ns = *ns;
  }
  if (record_.time_ns == kNoTime) return "no time";
  record_.time_ns += fraction_ns_;
  return {};
}

}  // namespace weir::traffic
