// One request on its way through the Redis store. Filled by the caller's thread under the inbox'
// lock, then touched by the store's thread alone until it is put back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "algo/numbers.h"
#include "redis/error.h"
#include "store/store.h"

namespace weir::redis {

class Connection;
struct Flight;

// What an operator's call waits for on its own stack.
struct Question {
  std::promise<bool> answered;  // false: the store failed
  store::Inspection inspection;
  bool found = false;
};

struct Waiting {
  enum class Kind : std::uint8_t { charge, peek, refund, inspect, reset };

  Kind kind = Kind::charge;
  std::vector<store::Charge> charges;
  std::vector<algo::Numbers> numbers;  // of a refund, whose caller does not wait
  store::Sink* sink = nullptr;         // charge and peek
  std::size_t request = 0;             // its index for the sink
  Question* question = nullptr;
  Now given;
  Instant deadline;  // of the machine's steady clock
  // Of this use of the place; 0: answered. Who only remembers the place may compare it.
  std::atomic<std::uint64_t> serial{0};
  // Where it is in flight; nullptr: it has not been written.
  Connection* connection = nullptr;
  Flight* flight = nullptr;
};

}  // namespace weir::redis
