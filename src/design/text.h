// Numbers as people write them in a policy: "100/min", "1h30m", "9,600".
//
// Pure formatting of values; thread-safe. Allocates the string it returns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algo/numbers.h"
#include "policy/policy.h"
#include "weir/clock.h"

namespace weir::design {

std::string duration_text(Duration d);     // "0s", "250ms", "1h30m"; "never" for Duration::max()
std::string count_text(std::uint64_t n);   // "1,000,000"
std::string short_count(std::uint64_t n);  // "1M", "20k", "1,016,666": as a policy would say it
std::string rate_text(std::uint64_t count,
                      std::uint64_t period_ns);  // "100/min", "1M/min", "5/15m"

// "100/min burst 120", "100 in 1m (fixed_window)", "10/s queue 20".
std::string numbers_text(const algo::Numbers& numbers);
// As numbers_text, or the words `deny`, `unlimited`, `not limited`.
std::string numbers_text(const policy::LimitNumbers& numbers);

// "2026-11-30T15:31:01Z", with as many decimals as the instant has. "for ever" at the end of time.
std::string instant_text(Instant unix_time);

}  // namespace weir::design
