// Requests as lines of an access log.
//
//   auto format = traffic::parse_log_format("combined");
//   traffic::append_line(out, *format, events, i);
//
// What a format has no place for is left out: `combined` has no API key, `json` has all. `json` is
// what the reader takes for `nginx-json`, with `request_time` in seconds, and `http_x_api_key`,
// `tokens` where there are some.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/events.h"
#include "weir/result.h"

namespace weir::traffic {

enum class LogFormat : std::uint8_t { common, combined, json };

Result<LogFormat> parse_log_format(std::string_view name);

// The i-th in order of time, with its line feed.
void append_line(std::string& out, LogFormat format, const Events& events, std::size_t i);

}  // namespace weir::traffic
