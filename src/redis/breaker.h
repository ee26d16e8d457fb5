// When a store that fails is left alone, and when it is tried again: a circuit breaker.
//
//   if (!breaker.allows(now)) ...            // open: fail at once
//   if (breaker.wants_probe(now)) probe();   // once; then `succeeded` or `failed`
//
// Closed: everything passes; `errors` failures within `window` open it. Open: nothing passes for
// `retry`. Then half open: one probe, whose success closes it and whose failure opens it again.
// A pure function of the instants it is given, which do not go back. Not thread-safe; no allocation
// after construction; O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/clock.h"

namespace weir::redis {

struct BreakerNumbers {
  unsigned errors = 5;  // at least 1
  Duration window = seconds(10);
  Duration retry = seconds(2);
};

class Breaker {
 public:
  enum class State : std::uint8_t { closed, open, half_open };

  explicit Breaker(const BreakerNumbers& numbers)
      : numbers_(numbers), failures_(numbers.errors > 0 ? numbers.errors : 1) {}

  State state() const { return state_; }
  bool allows() const { return state_ == State::closed; }

  // True once `retry` has passed since it opened, until `probing` is called.
  bool wants_probe(Instant now) const { return state_ == State::open && now >= retry_at_; }
  Instant retry_at() const { return retry_at_; }
  void probing() { state_ = State::half_open; }

  void succeeded() {
    if (state_ != State::closed) count_ = 0;
    state_ = State::closed;
  }

  // True: it opens now.
  bool failed(Instant now) {
    if (state_ == State::open) return false;
    failures_[next_] = now;
    next_ = (next_ + 1) % failures_.size();
    if (count_ < failures_.size()) ++count_;
    // With all places taken, the next one to be overwritten is the oldest.
    const bool many = count_ == failures_.size() && now - failures_[next_] <= numbers_.window;
    if (state_ == State::closed && !many) return false;
    state_ = State::open;
    retry_at_ = now + numbers_.retry;
    return true;
  }

 private:
  BreakerNumbers numbers_;
  State state_ = State::closed;
  Instant retry_at_;
  std::vector<Instant> failures_;  // a ring of the latest
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace weir::redis
