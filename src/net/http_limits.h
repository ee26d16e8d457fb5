// What a listener lets one connection, and all of them, take; and what it counts.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "wire/http1.h"

namespace weir::net {

struct ConnectionLimits {
  wire::HttpLimits http = {};
  std::chrono::milliseconds idle_timeout{75'000};     // between requests
  std::chrono::milliseconds request_timeout{10'000};  // first byte (or accept) to the whole request
  std::chrono::milliseconds write_timeout{10'000};    // without any progress
  std::chrono::milliseconds linger_timeout{2'000};    // after the last answer, for the other end
  // A drain answers what is on its way for so long before it closes idle connections.
  std::chrono::milliseconds drain_grace{250};
  std::size_t output_bytes = 256 * 1024;  // unsent answers beyond this stop reading
  std::size_t max_connections = 10'000;   // of all loops of a listener; more are closed with 503
};

// Counters of one loop: written by its thread, read by any.
struct HttpStats {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};  // over max_connections
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> open{0};
  std::array<std::atomic<std::uint64_t>, 600> by_status{};

  // One writer: no read-modify-write instruction is needed.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

}  // namespace weir::net
