// Requests that are there only because an earlier one was refused: the same key asks for the same
// thing again soon after a 429 or 503. Left in, they inflate what a limit is fitted to.
//
//   Repeats repeats;
//   if (repeats.add(key, event.request, event.start_ns, refused)) ...   // in order of time
//
// A log does not say Retry-After; what comes within kSoon_ns of a refusal counts as a repeat, and a
// repeat that is refused waits anew (retry inflation: sum of p^i for a refused share p). A value.
// For one thread; memory grows with the different refused requests.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace weir::traffic {

class Repeats {
 public:
  static constexpr std::int64_t kSoon_ns = 60'000'000'000;

  // True: this one repeats a refused one.
  bool add(std::uint32_t key, std::uint32_t request, std::int64_t start_ns, bool refused) {
    if (refused_.empty() && !refused) return false;
    const std::uint64_t pair = std::uint64_t{key} << 32 | request;
    const auto at = refused_.find(pair);
    const bool repeat = at != refused_.end() && start_ns - at->second <= kSoon_ns;
    if (refused) {
      refused_[pair] = start_ns;
    } else if (at != refused_.end()) {
      refused_.erase(at);
    }
    return repeat;
  }

 private:
  std::unordered_map<std::uint64_t, std::int64_t> refused_;  // key, request: when last
};

}  // namespace weir::traffic
