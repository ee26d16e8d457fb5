#include "host/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

namespace weir::host {

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made =
        std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "ts=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc));
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *instance;
}

}  // namespace

std::string logfmt_value(std::string_view value) {
  const auto plain = [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
  };
  if (!value.empty() && std::all_of(value.begin(), value.end(), plain)) return std::string(value);
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out + '"';
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  spdlog::logger& to = logger();
  if (!to.should_log(spdlog_level(level))) return;
  std::string line = "msg=" + logfmt_value(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=").append(logfmt_value(field.value));
  }
  to.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

Result<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warn" || text == "warning") return LogLevel::warning;
  if (text == "error") return LogLevel::error;
  return Error{ErrorCode::invalid_argument,
               "`" + std::string(text) + "` is no log level; write debug, info, warn or error",
               {}};
}

}  // namespace weir::host
