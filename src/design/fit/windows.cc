#include "design/fit/windows.h"

#include <algorithm>
#include <vector>

namespace weir::design {
namespace {

std::int64_t window_of(std::int64_t at_ns, std::int64_t window_ns) { return at_ns / window_ns; }

}  // namespace

std::uint64_t envelope(const Trace& trace, std::int64_t window_ns) {
  std::uint64_t most = 0;
  std::uint64_t units = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    units += trace.cost(i);
    while (trace.at_ns[i] - trace.at_ns[first] >= window_ns) units -= trace.cost(first++);
    most = std::max(most, units);
  }
  return most;
}

std::uint64_t aligned_window(const Trace& trace, std::int64_t window_ns) {
  std::uint64_t most = 0;
  std::uint64_t units = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i > 0 && window_of(trace.at_ns[i], window_ns) != window_of(trace.at_ns[i - 1], window_ns)) {
      units = 0;
    }
    units += trace.cost(i);
    most = std::max(most, units);
  }
  return most;
}

std::uint64_t sliding_counter(const Trace& trace, std::int64_t window_ns) {
  std::uint64_t most = 0;
  std::uint64_t before = 0;
  std::uint64_t units = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::int64_t window = window_of(trace.at_ns[i], window_ns);
    const std::int64_t last = i == 0 ? window : window_of(trace.at_ns[i - 1], window_ns);
    if (window != last) {
      before = window == last + 1 ? units : 0;
      units = 0;
    }
    units += trace.cost(i);
    // before x (what is left of the window) / window, rounded down, as the algorithm does.
    const auto left = static_cast<unsigned __int128>(window_ns - trace.at_ns[i] % window_ns);
    const auto carried =
        static_cast<std::uint64_t>(before * left / static_cast<unsigned __int128>(window_ns));
    most = std::max(most, units + carried);
  }
  return most;
}

std::uint64_t concurrency(std::span<const std::int64_t> starts_ns,
                          std::span<const std::int64_t> ends_ns) {
  std::vector<std::int64_t> starts(starts_ns.begin(), starts_ns.end());
  std::vector<std::int64_t> ends(ends_ns.begin(), ends_ns.end());
  std::sort(starts.begin(), starts.end());
  std::sort(ends.begin(), ends.end());
  std::uint64_t most = 0;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    while (ended < ends.size() && ends[ended] <= starts[i]) ++ended;
    most = std::max<std::uint64_t>(most, i + 1 >= ended ? i + 1 - ended : 0);
  }
  return most;
}

}  // namespace weir::design
