// How clients take a denial: what makes a replay a closed loop.
//
//   auto model = traffic::parse_client_model("backoff:1s:5");
//   traffic::ClosedLoop loop(replay, *model, seed);
//   loop.run([&](const Event& event, const decide::Decision& d) { tally.add(event, d); });
//
// The log's requests are sent when they were; one that is denied is sent again as its model says,
// until it is admitted or its tries are used up. The same seed gives the same retries.
#pragma once

#include <cstdint>
#include <queue>
#include <random>
#include <string_view>
#include <vector>

#include "traffic/replay.h"
#include "weir/clock.h"
#include "weir/result.h"

namespace weir::traffic {

enum class Retry : std::uint8_t {
  give_up,      // never again: the open loop
  immediate,    // at once (a millisecond later)
  fixed,        // after a fixed time
  backoff,      // after a random time up to wait * 2^tries, at most 64 waits ("full jitter")
  retry_after,  // when the answer said
};

struct ClientModel {
  Retry retry = Retry::give_up;
  Duration wait;       // fixed, backoff
  unsigned tries = 0;  // the most retries of one request
};

// "gives-up", "immediate[:TRIES]", "fixed:WAIT[:TRIES]", "backoff:WAIT[:TRIES]",
// "retry-after[:TRIES]". Without TRIES: 10, for `immediate` 3.
Result<ClientModel> parse_client_model(std::string_view text);

// How long until the next try after `tries` retries; `retry_after`: what the answer said.
Duration wait_before(const ClientModel& model, unsigned tries, Duration retry_after,
                     std::mt19937_64& random);

struct LoopCounts {
  std::uint64_t first_tries = 0;  // requests of the log
  std::uint64_t retries = 0;
  std::uint64_t served_later = 0;  // admitted after a denial
  std::uint64_t given_up = 0;      // never admitted
};

class ClosedLoop {
 public:
  ClosedLoop(Replay& replay, ClientModel model, std::uint64_t seed)
      : replay_(replay), model_(model), random_(seed) {}

  // `each` is called for every try, in order of time: (const Event&, const decide::Decision&).
  template <typename F>
  void run(F&& each) {
    const std::size_t count = replay_.events().size();
    for (std::size_t i = 0; i < count || !waiting_.empty();) {
      // At one instant a retry goes first: its client has waited.
      const bool again =
          !waiting_.empty() && (i == count || waiting_.top().at <= replay_.event_instant(i));
      const Try next = again ? waiting_.top() : Try{replay_.event_instant(i), sequence_++, i, 0};
      if (again) waiting_.pop();
      if (!again) ++i;
      Event event = replay_.events().at(next.event);
      event.start_ns = static_cast<std::int64_t>(next.at.ns);
      const decide::Decision& decision =
          again ? replay_.decide_at(next.event, next.at) : replay_.decide(next.event);
      each(event, decision);
      take(next, decision);
    }
  }
  const LoopCounts& counts() const { return counts_; }

 private:
  struct Try {
    Instant at;
    std::uint64_t sequence = 0;
    std::size_t event = 0;
    unsigned tries = 0;  // before this one

    friend bool operator>(const Try& a, const Try& b) {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  // What the client does now.
  void take(const Try& done, const decide::Decision& decision);

  Replay& replay_;
  ClientModel model_;
  std::mt19937_64 random_;
  std::priority_queue<Try, std::vector<Try>, std::greater<>> waiting_;
  std::uint64_t sequence_ = 0;
  LoopCounts counts_;
};

}  // namespace weir::traffic
