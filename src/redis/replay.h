// The verdicts of a batch, from the states that the script found: what the memory store would say
// (store/memory/transaction.cc), request after request, and held against what the script did.
//
//   if (!Replay(batch, bulk).run()) ...   // a protocol error
//
// Writes the batch's outcomes. Views `reply`; lives for one call. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algo/step.h"
#include "redis/batch.h"
#include "redis/found_state.h"

namespace weir::redis {

class Replay {
 public:
  Replay(Batch& batch, std::string_view reply) : batch_(batch), reply_(reply) {}

  // False: the reply is malformed, or algo comes to another verdict.
  bool run();

 private:
  // One counter of the request at hand, touched by one charge or by several.
  struct Group {
    std::uint32_t key = 0;
    std::uint64_t cost = 0;  // of the charges checked so far and admitted
    algo::State state;       // what the next charge is checked against
    std::uint64_t sum = 0;   // of the charges settled so far
  };

  bool read();
  bool take(std::size_t bytes, std::string_view& part);
  bool read_states();
  bool read_logs();
  std::size_t state_bytes(Batch::Class c) const;

  bool decide(Batch::Request& request);
  void refund(const Batch::Request& request);
  void group(const Batch::Request& request);
  bool check(const Batch::Request& request, std::size_t i);
  bool settle(const Batch::Request& request, std::size_t i);
  bool settle_log(const Batch::Request& request, std::size_t i);
  bool note_before(const Batch::Request& request);
  bool note_before(const Batch::Request& request, std::size_t i);
  void note_full_at(Batch::Request& request) const;

  const Batch::Item& item(const Batch::Request& r, std::size_t i) const {
    return batch_.items_[r.first + i];
  }
  // Outcomes stand in the order of the charges as they were given.
  Outcome& outcome(const Batch::Request& r, std::size_t i) {
    return batch_.outcomes_[r.first + batch_.at_[r.first + i]];
  }
  bool had_room(std::size_t item) const { return bits_[item / 48] >> (item % 48) & 1; }

  Batch& batch_;
  std::string_view reply_;
  std::vector<std::uint64_t> bits_;
  std::vector<algo::State> states_;  // by key; as the script has left them so far
  std::vector<FoundLog> logs_;       // by item; empty ones for the rest
  std::array<Group, store::kMaxCharges> groups_;
  std::array<std::uint8_t, store::kMaxCharges> group_of_{};
};

}  // namespace weir::redis
