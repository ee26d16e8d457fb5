// The vocabulary that all layers share: algorithms, reasons, and what one limit said.
//
// Units: costs, limits and remaining are whole units of the limit (requests unless it says
// otherwise), 0 to 2^53; times are weir::Duration. All types here are plain values.
#pragma once

#include <cstdint>
#include <string_view>

#include "weir/clock.h"

namespace weir {

enum class Algorithm : std::uint8_t {
  token_bucket = 1,  // GCRA; the default
  fixed_window = 2,
  sliding_window = 3,  // two counters, estimated
  sliding_log = 4,     // exact, O(limit) memory a key
  leaky_bucket = 5,    // a queue: shapes
};

// Where windows begin: at multiples of the window since 1970, or with a key's first request.
enum class Align : std::uint8_t { epoch, first };

// Why a limit, or a request, was answered as it was. `name(reason)` is the word that JSON, metrics
// and the documents use.
enum class Reason : std::uint8_t {
  admitted,            // "admitted"
  limit_exceeded,      // "limit_exceeded": wait and it fits
  cost_exceeds_limit,  // "cost_exceeds_limit": never fits
  not_in_plan,         // "not_in_plan": the tier says `deny`
  missing_key,         // "missing_key": a key part is absent and the limit says on_missing: deny
  table_full,          // "table_full": max_keys live keys, and on_full: deny
  store_failure,       // "store_failure": the store did not answer and the limit fails closed
};

// The largest whole number that limits, costs and counts may have: exact in JSON and in Lua.
inline constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 53;

// What one limit said of one request.
//
// On an admission the counters are those after the charge; on a denial, and for a peek, those the
// request found (a denied request changes nothing).
struct Outcome {
  bool admit = true;
  Reason reason = Reason::admitted;
  bool overflow = false;    // counted in the limit's shared overflow counter: the table was full
  std::uint64_t limit = 0;  // burst, limit of the window, or queue + 1
  std::uint64_t remaining = 0;  // 0 <= remaining <= limit
  Duration wait;                // until the same cost fits: 0 now, Duration::max() never
  Duration reset;  // bucket, log, sliding window: until full; fixed window: until it ends
  Duration delay;  // leaky_bucket, admitted: how long the caller waits before it goes on
};

// A header field or an attribute of a request; views of the caller's memory.
struct Field {
  std::string_view name;
  std::string_view value;
};

constexpr std::string_view name(Algorithm a) {
  switch (a) {
    case Algorithm::token_bucket:
      return "token_bucket";
    case Algorithm::fixed_window:
      return "fixed_window";
    case Algorithm::sliding_window:
      return "sliding_window";
    case Algorithm::sliding_log:
      return "sliding_log";
    case Algorithm::leaky_bucket:
      return "leaky_bucket";
  }
  return "unknown";
}

constexpr std::string_view name(Reason r) {
  switch (r) {
    case Reason::admitted:
      return "admitted";
    case Reason::limit_exceeded:
      return "limit_exceeded";
    case Reason::cost_exceeds_limit:
      return "cost_exceeds_limit";
    case Reason::not_in_plan:
      return "not_in_plan";
    case Reason::missing_key:
      return "missing_key";
    case Reason::table_full:
      return "table_full";
    case Reason::store_failure:
      return "store_failure";
  }
  return "unknown";
}

}  // namespace weir
