// One request as a line of an access log tells it: what a parser makes of a line, and a reader
// turns into an event.
//
// A value of views: they are those of the line, or of the parser that decoded it, and end with the
// next line. Times are nanoseconds since 1970 in UTC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "weir/decision.h"

namespace weir::traffic {

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoDuration = -1;
inline constexpr std::uint64_t kNoBytes = std::numeric_limits<std::uint64_t>::max();

// A cost that the log states: tokens, points.
struct RecordedCost {
  std::string_view unit;
  std::uint64_t cost = 0;
};

struct Record {
  static constexpr std::size_t kMostFields = 8;
  static constexpr std::size_t kMostCosts = 4;

  // Everything but what lies beyond the counts.
  void clear() {
    time_ns = kNoTime;
    time_is_end = limited = false;
    duration_ns = kNoDuration;
    client = method = target = user_agent = {};
    status = 0;
    bytes = kNoBytes;
    header_count = attribute_count = cost_count = 0;
  }
  // False: there is no place for more, or no number for the sum. Later ones of a name stand beside
  // the first.
  bool add_header(std::string_view name, std::string_view value) {
    if (header_count == kMostFields) return false;
    header_list[header_count++] = {name, value};
    return true;
  }
  bool add_attribute(std::string_view name, std::string_view value) {
    if (attribute_count == kMostFields) return false;
    attribute_list[attribute_count++] = {name, value};
    return true;
  }
  // Costs of one unit add up.
  bool add_cost(std::string_view unit, std::uint64_t cost) {
    for (std::size_t i = 0; i < cost_count; ++i) {
      if (cost_list[i].unit != unit) continue;
      const bool fits = cost <= std::numeric_limits<std::uint64_t>::max() - cost_list[i].cost;
      if (fits) cost_list[i].cost += cost;
      return fits;
    }
    if (cost_count == kMostCosts) return false;
    cost_list[cost_count++] = {unit, cost};
    return true;
  }
  std::span<const Field> headers() const { return {header_list.data(), header_count}; }
  std::span<const Field> attributes() const { return {attribute_list.data(), attribute_count}; }
  std::span<const RecordedCost> costs() const { return {cost_list.data(), cost_count}; }
  // When the request began: a time of the end less the duration, where that is known.
  std::int64_t start_ns() const {
    return time_is_end && duration_ns != kNoDuration ? time_ns - duration_ns : time_ns;
  }

  std::int64_t time_ns = kNoTime;
  bool time_is_end = false;                // of the request; false: its start
  std::int64_t duration_ns = kNoDuration;  // from start to end
  std::string_view client;                 // an address, with or without a port, or a name
  std::string_view method;                 // empty: unknown
  std::string_view target;                 // raw, with its query string
  std::string_view user_agent;             // empty: unknown or `-`
  std::uint16_t status = 0;                // 0: unknown
  std::uint64_t bytes = kNoBytes;          // sent to the client
  bool limited = false;                    // refused by a rate limiter already, says the log itself
  std::size_t header_count = 0;
  std::size_t attribute_count = 0;
  std::size_t cost_count = 0;
  std::array<Field, kMostFields> header_list;     // request headers: names lower-case
  std::array<Field, kMostFields> attribute_list;  // what else the log knows of the caller: `user`
  std::array<RecordedCost, kMostCosts> cost_list;
};

}  // namespace weir::traffic
