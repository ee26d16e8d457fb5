// How a Redis store is doing, for metrics and /readyz. Plain values, read at one moment.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "redis/breaker.h"
#include "redis/error.h"

namespace weir::redis {

struct Health {
  unsigned connected = 0;  // sockets that are ready for batches
  unsigned servers = 0;    // that keep counters, as far as it is known which do
  unsigned ready = 0;      // of those, with a socket that is ready
  Breaker::State breaker = Breaker::State::closed;
  std::uint64_t waiting = 0;       // requests queued or in flight
  std::uint64_t answered = 0;      // requests with a verdict of the server
  std::uint64_t batches = 0;       // commands sent
  std::uint64_t resent = 0;        // after NOSCRIPT
  std::uint64_t lost = 0;          // requests written whose verdict never came: perhaps charged
  std::uint64_t late = 0;          // replies that came when nobody waited any more
  std::uint64_t connects = 0;      // connections that became ready
  std::uint64_t opened = 0;        // times a breaker opened
  std::uint64_t redirected = 0;    // requests that a cluster sent elsewhere, or asked for a moment
  std::uint64_t refunded = 0;      // charges given back after a denial or failure elsewhere
  std::uint64_t refunds_lost = 0;  // of those, that perhaps were not
  std::array<std::uint64_t, kFailures> failed{};              // requests, by Failure
  std::array<std::uint64_t, kFailures> failed_connections{};  // by Failure
  // What the server or the system said last, since all was well; empty: nothing.
  std::string last_error;
  Failure last_failure = Failure::other_error;  // of which kind it was

  std::uint64_t failures(Failure f) const { return failed[static_cast<std::size_t>(f)]; }
  std::uint64_t connection_failures(Failure f) const {
    return failed_connections[static_cast<std::size_t>(f)];
  }
};

// The store's own: written by its thread, read by any.
class HealthCounters {
 public:
  using Count = std::atomic<std::uint64_t>;

  static void add(Count& counter, std::uint64_t n = 1) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  // Where nobody said anything, what an operator does about it.
  void set_error(Failure failure, std::string_view text) {
    const std::lock_guard lock(mutex_);
    const std::string_view why = text.empty() ? reaction(failure).advice : text;
    last_failure_ = failure;
    last_error_ = std::string(name(failure)) + ": " + shown(why);
  }
  // All is well again: the next trouble has its own reason.
  void clear_error() {
    const std::lock_guard lock(mutex_);
    last_error_.clear();
  }
  Health read() const {
    Health h;
    h.connected = static_cast<unsigned>(connected.load(std::memory_order_relaxed));
    h.breaker = breaker.load(std::memory_order_relaxed);
    h.answered = answered.load(std::memory_order_relaxed);
    h.batches = batches.load(std::memory_order_relaxed);
    h.resent = resent.load(std::memory_order_relaxed);
    h.lost = lost.load(std::memory_order_relaxed);
    h.late = late.load(std::memory_order_relaxed);
    h.connects = connects.load(std::memory_order_relaxed);
    h.opened = opened.load(std::memory_order_relaxed);
    h.servers = static_cast<unsigned>(servers.load(std::memory_order_relaxed));
    h.ready = static_cast<unsigned>(ready.load(std::memory_order_relaxed));
    h.redirected = redirected.load(std::memory_order_relaxed);
    h.refunded = refunded.load(std::memory_order_relaxed);
    h.refunds_lost = refunds_lost.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < kFailures; ++i) {
      h.failed[i] = failed[i].load(std::memory_order_relaxed);
      h.failed_connections[i] = failed_connections[i].load(std::memory_order_relaxed);
    }
    const std::lock_guard lock(mutex_);
    h.last_error = last_error_;
    h.last_failure = last_failure_;
    return h;
  }

  Count connected{0}, answered{0}, batches{0}, resent{0}, lost{0}, late{0}, connects{0}, opened{0};
  Count servers{0}, ready{0}, redirected{0}, refunded{0}, refunds_lost{0};
  std::atomic<Breaker::State> breaker{Breaker::State::closed};
  std::array<Count, kFailures> failed{};
  std::array<Count, kFailures> failed_connections{};

 private:
  mutable std::mutex mutex_;
  std::string last_error_;
  Failure last_failure_ = Failure::other_error;
};

}  // namespace weir::redis
