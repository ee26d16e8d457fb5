// One value of a line, as a format names it, and where it goes in a Record: shared by the formats
// whose lines are columns of text (patterns, CSV, W3C).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/format/timestamp.h"
#include "traffic/record.h"

namespace weir::traffic {

enum class FieldKind : std::uint8_t {
  skip,
  client,
  attribute,  // with a name: user
  header,     // with a name, lower-case
  user_agent,
  request,  // "GET /path HTTP/1.1"
  method,
  target,  // a path with its query string, or a whole URL
  path,    // without the query string
  args,    // the query string, with or without its `?`
  status,
  bytes,
  cost,           // with the name of its unit
  time_common,    // 29/Apr/2018:22:00:00 -0200
  time_iso,       // RFC 3339
  time_haproxy,   // 06/Feb/2009:12:14:14.655
  time_slashed,   // 2024/01/02 03:04:05
  time_number,    // a decimal number of `unit_ns` since 1970
  time_any,       // the form is seen: any of these, or a number since 1970 whose size says its unit
  time_fraction,  // a number of `unit_ns` within the second
  date,           // 2018-04-29, for a time_of_day
  time_of_day,    // 22:00:00
  duration,       // a decimal number of `unit_ns`
  limited,        // `name` is what says that a limiter refused the request
};

struct FieldSpec {
  FieldKind kind = FieldKind::skip;
  std::string name{};
  std::int64_t unit_ns = 1'000'000'000;
  bool time_is_end = false;
};

// Puts the values of one line into a Record.
class FieldSink {
 public:
  explicit FieldSink(Record& record) : record_(record) {}

  // `spec` and `value` live as long as the record's views; "-" and "" are an absent value. What is
  // returned is why it could not be read, a sentence with a static life; empty: it was.
  std::string_view put(const FieldSpec& spec, std::string_view value, CommonTime& common);
  std::string_view put(FieldSpec&& spec, std::string_view value, CommonTime& common) = delete;
  // After the last value. `scratch` may be appended to, within its capacity.
  std::string_view finish(std::string& scratch);

 private:
  std::string_view put_time(const FieldSpec& spec, std::string_view value, CommonTime& common);
  void put_request(std::string_view value);

  Record& record_;
  std::string_view path_;
  std::string_view args_;
  std::string_view date_;
  std::string_view time_of_day_;
  std::int64_t fraction_ns_ = 0;
};

// "GET", "M-SEARCH": what a log can mean by a method.
bool is_method(std::string_view text);

}  // namespace weir::traffic
