// The requests of a log in order of time, in columns: what is replayed and what limits are fitted
// to.
//
//   for (std::size_t i = 0; i < events.size(); ++i) {
//     const Event e = events.at(i);               // in order of time
//     const CallerFacts& who = events.caller(e.caller);
//     events.target(e.request);
//   }
//
// An event is 27 bytes, and what its texts need where they are new. Times are nanoseconds since
// 1970 in UTC. Not thread-safe while it grows; then any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "identity/facts.h"
#include "policy/cidr.h"
#include "traffic/column.h"
#include "traffic/record.h"
#include "traffic/texts.h"

namespace weir::traffic {

// Who sent a request, as far as the log says. Views are those of the Events.
struct CallerFacts {
  std::string_view client;                 // as logged
  std::optional<policy::Address> address;  // of a client that is a name: one that stands for it
  bool named = false;                      // the client was no address
  std::string_view user_agent;
  std::vector<Field> headers;  // with user-agent
  std::vector<Field> attributes;
};

struct Event {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  std::int64_t start_ns = 0;
  std::uint32_t caller = 0;              // Events::caller
  std::uint32_t request = 0;             // Events::method, Events::target
  std::uint32_t duration_us = kUnknown;  // saturated
  std::uint32_t bytes = kUnknown;        // saturated
  std::uint16_t status = 0;              // 0: unknown
  bool limited = false;                  // refused by a limiter then: so the log says, or by 429
};

class Events {
 public:
  // `record` has a time. `target` is what is kept of its target.
  void add(const Record& record, std::string_view target);
  // Puts those of `later`, which is not sorted, behind these.
  void append(const Events& later);
  // Puts them in order of time; those of one instant stay as they came. Then callers are known.
  void sort();
  void clear();  // keeps memory

  std::size_t size() const { return start_ns_.size(); }
  bool empty() const { return start_ns_.empty(); }
  // The i-th in order of time (once sorted).
  Event at(std::size_t i) const;

  std::size_t callers() const { return caller_texts_.size(); }
  const CallerFacts& caller(std::uint32_t id) const { return callers_[id]; }  // once sorted
  std::size_t requests() const { return requests_.size(); }
  std::string_view method(std::uint32_t request) const;
  std::string_view target(std::uint32_t request) const;
  // Costs that the log states for the i-th in order of time; often none.
  const std::vector<identity::StatedCost>& costs(std::size_t i) const;

  std::size_t bytes() const;

 private:
  std::size_t place(std::size_t i) const { return order_.empty() ? i : order_[i]; }
  std::uint32_t caller_of(const Record& record);
  std::uint32_t cost_of(const Record& record);
  std::uint32_t cost_set(std::string_view bytes);
  void add_cost(std::uint32_t set);

  Column<std::int64_t> start_ns_;
  Column<std::uint32_t> caller_;
  Column<std::uint32_t> request_;
  Column<std::uint32_t> duration_us_;
  Column<std::uint32_t> bytes_;
  Column<std::uint16_t> status_;
  Column<bool> limited_;
  Column<std::uint32_t> cost_;        // index into cost_sets_; shorter: 0
  std::vector<std::uint32_t> order_;  // empty: as they came
  std::int64_t latest_ns_ = std::numeric_limits<std::int64_t>::min();
  bool in_order_ = true;

  Texts caller_texts_;
  std::vector<CallerFacts> callers_;
  Texts requests_;  // METHOD \0 target
  Texts cost_texts_;
  std::vector<std::vector<identity::StatedCost>> cost_sets_{{}};
  std::string scratch_;
};

}  // namespace weir::traffic
