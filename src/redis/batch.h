// Requests that travel to Redis in one EVALSHA of script/charge.lua, and the verdicts in its reply.
//
// The script decides and writes; the outcomes are computed here by `algo` from the states that the
// script found, in the order in which it decided. Both must come to the same verdict on every
// charge, or the reply is refused: a number is never guessed.
//
//   Batch batch;
//   batch.add(charges, false);
//   batch.append_eval(out, charge_script(), "weir", true, std::nullopt);   // bytes to be sent
//   if (!batch.read_reply(bulk)) ...                                       // a protocol error
//   batch.admit(0), batch.outcomes(0)
//
// Instants are Redis' clock in whole microseconds: Now{us * 1000 ns since 1970, offset 0}. Charges
// are copied; the numbers they point to live until `read_reply` has returned. Reusable: `clear`
// keeps the memory. Not thread-safe. Cost: O(charges), and a hash look-up each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algo/numbers.h"
#include "base/digest.h"
#include "redis/script.h"
#include "store/store.h"

namespace weir::redis {

// Whether the script counts these numbers: a window must be whole microseconds.
bool storable(const algo::Numbers& numbers);

class Batch {
 public:
  // At most this many requests in one call: Redis serves nobody else meanwhile.
  static constexpr std::size_t kMostRequests = 64;

  Batch() { clear(); }
  void clear();
  // At most store::kMaxCharges charges, of storable numbers.
  void add(std::span<const store::Charge> charges, bool peek);
  // The same of a request that goes on elsewhere: `outcomes_before` has what would be said of it,
  // were it denied there.
  void add_stage(std::span<const store::Charge> charges);
  // Gives each charge's cost back, capped at what its counter owes. Its request has no outcomes.
  // `charged_us`: only what was charged at that instant of this clock may be given back.
  void add_refund(std::span<const store::Charge> charges,
                  std::optional<std::uint64_t> charged_us = {});

  std::size_t size() const { return requests_.size(); }
  bool empty() const { return requests_.empty(); }
  std::size_t charges(std::size_t request) const { return requests_[request].count; }

  // The command in the Redis protocol; `by_sha` false sends the text itself (EVAL). `now_us` is
  // what the script takes for the time, for tests.
  void append_eval(std::string& out, const Script& script, std::string_view prefix, bool by_sha,
                   std::optional<std::uint64_t> now_us) const;

  // False: the reply is malformed, or contradicts what algo makes of it; no verdict is valid.
  bool read_reply(std::string_view bulk);
  Now now() const { return now_; }
  bool admit(std::size_t request) const { return requests_[request].admit; }
  std::span<const Outcome> outcomes(std::size_t request) const;
  // Of an admitted stage: its counters as they were.
  std::span<const Outcome> outcomes_before(std::size_t request) const;
  // The counter of a peek that has one charge, of cost 0.
  store::Inspection inspection(std::size_t request) const;

 private:
  friend class BatchWriter;
  friend class Replay;

  enum class Kind : std::uint8_t { charge, peek, refund };
  struct Request {
    std::uint32_t first = 0;  // of its charges
    std::uint16_t count = 0;
    Kind kind = Kind::charge;
    bool admit = false;
    bool stage = false;
    std::optional<std::uint64_t> charged_us;  // of a refund
    Instant full_at;                          // of its last charge's counter, as found
  };
  // A distinct counter.
  struct Key {
    store::Charge charge;     // the first on it
    std::uint32_t place = 0;  // among the keys of its class
  };
  struct Item {
    store::Charge charge;
    std::uint32_t key = 0;
  };
  // The order of KEYS.
  enum Class : std::size_t { kBuckets, kFixed, kSliding, kLogs, kClasses };
  static Class class_of(Algorithm algorithm);

  void add_request(std::span<const store::Charge> charges, Kind kind);
  std::uint32_t key_of(const store::Charge& charge);
  std::uint32_t class_start(Class c) const;
  // One's place in KEYS, from 0.
  std::uint32_t index_of(const Key& key) const;

  std::vector<Request> requests_;
  std::vector<Item> items_;       // enforced before shadows within a request
  std::vector<std::uint8_t> at_;  // of item i: its place among the charges as they were given
  std::vector<Key> keys_;
  std::vector<std::uint16_t> slots_;  // a hash table of indices into keys_, from 1
  std::uint32_t class_size_[kClasses] = {};
  std::vector<Outcome> outcomes_;
  std::vector<Outcome> before_;  // of stages; as long as outcomes_ where there is one
  Now now_;
};

}  // namespace weir::redis
