// What other algorithms than a bucket need to reject nothing of a trace.
#pragma once

#include <cstdint>
#include <span>

#include "design/fit/trace.h"

namespace weir::design {

// The most units within any window of that length, which holds its later end and not its earlier:
// the limit of a sliding log. Half open, because a log forgets a request when the window has
// passed.
std::uint64_t envelope(const Trace& trace, std::int64_t window_ns);

// The most units in a window of the clock, counted from 1970: the limit of a fixed window.
std::uint64_t aligned_window(const Trace& trace, std::int64_t window_ns);

// The least limit with which a sliding window of two counters rejects nothing: units of this window
// of the clock, and of the one before by the share of it that the sliding window still holds.
std::uint64_t sliding_counter(const Trace& trace, std::int64_t window_ns);

// The most requests that were under way at once; [start, end), of equal size, ends not before
// starts.
std::uint64_t concurrency(std::span<const std::int64_t> starts_ns,
                          std::span<const std::int64_t> ends_ns);

}  // namespace weir::design
