// What a policy would have done with the requests of a log: the decider of the service, asked with
// each request at its own instant.
//
//   traffic::Replay replay(*opened.engine, logs.events);
//   for (std::size_t i = 0; i < logs.events.size(); ++i) tally.add(i, replay.decide(i));
//
// Bit-identical to `weir serve` that is told the same client address, headers and attributes at the
// same instants: the store's clock is the log's time. For a store that answers at once. For one
// thread, with another of its own where there is much to do; the engine and the events outlive it.
// Requests are given in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decide/engine.h"
#include "identity/facts.h"
#include "traffic/events.h"

namespace weir::traffic {

class Ahead;

// What the decider is told of the i-th request. Views are those of the events.
identity::Facts facts_of(const Events& events, std::size_t i);

class Replay {
 public:
  Replay(decide::Engine& engine, const Events& events);
  ~Replay();

  // The i-th request, when it came: from 0 on, each once. What is returned lives until the next
  // call.
  const decide::Decision& decide(std::size_t i);
  // The same request, sent at another time, in between.
  const decide::Decision& decide_at(std::size_t i, Instant at);

  Instant event_instant(std::size_t i) const {
    return {static_cast<std::uint64_t>(events_.at(i).start_ns)};
  }
  const Events& events() const { return events_; }
  const decide::Snapshot& snapshot() const { return *snapshot_; }

 private:
  decide::Engine& engine_;
  const Events& events_;
  std::shared_ptr<const decide::Snapshot> snapshot_;
  std::unique_ptr<Ahead> ahead_;  // of many events
  decide::Decision decision_;
};

// Who a request is counted for, to people: the account, the API key, the user, or the address, the
// first that the policy knows of a caller.
class Keys {
 public:
  Keys(const decide::Snapshot& snapshot, const Events& events);

  std::size_t size() const { return names_.size(); }
  std::uint32_t of(std::uint32_t caller) const { return key_of_caller_[caller]; }
  // "account acme", "api_key sha256:1f0a...", "user 42", "203.0.113.7"; never a credential.
  const std::string& name(std::uint32_t key) const { return names_[key]; }

 private:
  std::vector<std::uint32_t> key_of_caller_;
  std::vector<std::string> names_;
};

}  // namespace weir::traffic
