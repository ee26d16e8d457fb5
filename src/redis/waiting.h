// One request on its way through the Redis store. Filled by the caller's thread under the inbox'
// lock, then touched by the store's thread alone until it is put back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "algo/numbers.h"
#include "redis/error.h"
#include "redis/stages.h"
#include "store/store.h"

namespace weir::redis {

class Connection;
class Server;
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

  Stages stages;
  Server* server = nullptr;        // who has it
  bool asking = false;             // to be said before it: the slot is on its way here
  bool alone = false;              // in a command of its own
  std::uint8_t sent_on = 0;        // times that a server sent it elsewhere, or asked for a moment
  Failure why = Failure::timeout;  // what is said at the deadline
  // Of a refund: that the store makes it itself (refunds.h), and of which instant's charge.
  bool own = false;
  std::optional<std::uint64_t> charged_us;

  // As a new request finds its place; the memory of its lists stays.
  void clear() {
    sink = nullptr;
    question = nullptr;
    connection = nullptr;
    flight = nullptr;
    server = nullptr;
    asking = alone = false;
    sent_on = 0;
    why = Failure::timeout;
    charged_us.reset();
  }
  // Its charges point to numbers of its own from now on.
  void keep_numbers() {
    numbers.clear();
    numbers.reserve(charges.size());
    for (store::Charge& c : charges) {
      numbers.push_back(*c.numbers);
      c.numbers = &numbers.back();
    }
  }
};

}  // namespace weir::redis
