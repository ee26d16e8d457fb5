#include "traffic/log_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <iterator>

#include "base/json_writer.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::tm utc(std::int64_t ns) { return fmt::gmtime(static_cast<std::time_t>(ns / kSecond)); }

std::string_view dash(std::string_view text) { return text.empty() ? "-" : text; }

// As nginx writes what a quoted value must not contain.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

void append_text(std::string& out, bool combined, const Events& events, const Event& event,
                 const CallerFacts& who) {
  const std::string target = escaped(events.target(event.request));
  fmt::format_to(std::back_inserter(out), "{} - - [{:%d/%b/%Y:%H:%M:%S} +0000] \"{} {} HTTP/1.1\" ",
                 dash(who.client), utc(event.start_ns), dash(events.method(event.request)),
                 dash(target));
  const auto number = [&](bool known, std::uint64_t value) {
    out += known ? std::to_string(value) : std::string("-");
  };
  number(event.status != 0, event.status);
  out += ' ';
  number(event.bytes != Event::kUnknown, event.bytes);
  if (combined) out += " \"-\" \"" + std::string(dash(escaped(who.user_agent))) + '"';
  out += '\n';
}

void append_json(std::string& out, const Events& events, std::size_t i, const Event& event,
                 const CallerFacts& who) {
  base::JsonWriter json(out);
  json.begin_object();
  json.member("time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", utc(event.start_ns),
                                  event.start_ns % kSecond / 1'000));
  json.member("remote_addr", who.client);
  json.member("request_method", events.method(event.request));
  json.member("request_uri", events.target(event.request));
  if (event.status != 0) json.member("status", std::uint64_t{event.status});
  if (event.bytes != Event::kUnknown) json.member("bytes_sent", std::uint64_t{event.bytes});
  if (event.duration_us != Event::kUnknown) {
    json.key("request_time");
    json.raw(fmt::format("{}.{:06}", event.duration_us / 1'000'000, event.duration_us % 1'000'000));
  }
  for (const Field& header : who.headers) {
    std::string member = "http_" + std::string(header.name);
    for (char& c : member) c = c == '-' ? '_' : c;
    json.member(member, header.value);
  }
  for (const identity::StatedCost& cost : events.costs(i)) json.member(cost.unit, cost.cost);
  json.end_object();
  out += '\n';
}

}  // namespace

Result<LogFormat> parse_log_format(std::string_view name) {
  if (name == "common") return LogFormat::common;
  if (name == "combined") return LogFormat::combined;
  if (name == "json") return LogFormat::json;
  return Error{ErrorCode::invalid_argument,
               "'" + std::string(name) +
                   "' is no format that logs are written in: use common, combined or json",
               ""};
}

void append_line(std::string& out, LogFormat format, const Events& events, std::size_t i) {
  const Event event = events.at(i);
  const CallerFacts& who = events.caller(event.caller);
  if (format == LogFormat::json) return append_json(out, events, i, event, who);
  append_text(out, format == LogFormat::combined, events, event, who);
}

}  // namespace weir::traffic
