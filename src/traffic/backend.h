// A server that breaks when too much comes, as servers do: some workers, a queue, and clients that
// do not wait for ever while their work is done all the same.
//
//   Backend backend({.workers = 4, .patience = seconds(1)});
//   const Backend::Served s = backend.serve(at, milliseconds(20));   // in order of time
//
// A value. For one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "weir/clock.h"

namespace weir::traffic {

struct BackendNumbers {
  unsigned workers = 4;             // requests served at once
  Duration patience = seconds(1);   // an answer later than that is of no use to the client
  Duration most_wait = seconds(5);  // the queue is full where a new one would wait longer
  Duration front{};                 // work that each request makes even when it is denied
  // What a downstream allows: beyond `max_calls` in `window` it refuses all for `penalty`; 0: any.
  std::uint64_t max_calls = 0;
  Duration window = seconds(60);
  Duration penalty = seconds(60);
  // An outage, from the start of the simulation: nothing is served.
  Duration out_from{};
  Duration out_to{};
};

class Backend {
 public:
  struct Served {
    bool good = false;  // answered in time
    Instant end;        // when the client knows
  };

  Backend(const BackendNumbers& numbers, Instant start) : numbers_(numbers), start_(start) {
    for (unsigned i = 0; i < numbers.workers; ++i) free_.push(0);
  }

  // The gate's own work on a request, before it is decided; false: the gate itself is overrun.
  bool reach(Instant at) {
    if (numbers_.front.ns == 0) return true;
    const std::uint64_t begin = std::max(gate_free_, at.ns);
    if (begin + numbers_.front.ns - at.ns > numbers_.patience.ns) return false;
    gate_free_ = begin + numbers_.front.ns;
    return true;
  }

  Served serve(Instant at, Duration work) {
    const Duration since = at - start_;
    if (since >= numbers_.out_from && since < numbers_.out_to) return {false, at};
    if (!allowed(at)) return {false, at};
    const std::uint64_t begin = std::max(free_.top(), at.ns);
    if (begin - at.ns > numbers_.most_wait.ns) return {false, at};
    free_.pop();
    free_.push(begin + work.ns);
    const std::uint64_t taken = begin + work.ns - at.ns;
    if (taken > numbers_.patience.ns) return {false, at + numbers_.patience};
    return {true, Instant{begin + work.ns}};
  }

 private:
  bool allowed(Instant at) {
    if (numbers_.max_calls == 0) return true;
    if (at.ns < refuses_until_) return false;
    while (!calls_.empty() && calls_.front() + numbers_.window.ns <= at.ns) calls_.pop_front();
    if (calls_.size() < numbers_.max_calls) {
      calls_.push_back(at.ns);
      return true;
    }
    refuses_until_ = at.ns + numbers_.penalty.ns;
    return false;
  }

  const BackendNumbers numbers_;
  const Instant start_;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_;  // workers
  std::uint64_t gate_free_ = 0;
  std::deque<std::uint64_t> calls_;  // within the window
  std::uint64_t refuses_until_ = 0;
};

}  // namespace weir::traffic
