// Structured logs on stderr, one logfmt line an event:
//
//   ts=2026-11-30T15:31:31.123Z level=info msg="policy reloaded" policy=plans.yaml id=0f3a...
//
//   host::log(host::LogLevel::info, "policy reloaded", {{"policy", file}, {"id", id}});
//
// Never a credential: callers log names, counts and hashes. Thread-safe; formatting costs a few
// microseconds, so nothing on a decision's path logs.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::host {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  template <std::integral T>
  LogField(std::string_view k, T v) : key(k), value(std::to_string(v)) {}

  std::string_view key;
  std::string value;
};

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
void set_log_level(LogLevel level);
// "debug", "info", "warn" or "error".
Result<LogLevel> parse_log_level(std::string_view text);

// A value as logfmt has it: quoted where it holds white space, quotes, `=` or anything that could
// break the line.
std::string logfmt_value(std::string_view value);

}  // namespace weir::host
