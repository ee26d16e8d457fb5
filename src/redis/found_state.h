// A counter as charge.lua found it, in the form that algo reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "algo/log.h"
#include "algo/numbers.h"
#include "algo/state.h"
#include "weir/clock.h"

namespace weir::redis {

// Bytes of a state in the reply: a bucket's, a fixed window's, a sliding window's.
inline constexpr std::size_t kBucketBytes = 15;
inline constexpr std::size_t kFixedBytes = 14;
inline constexpr std::size_t kSlidingBytes = 21;

// An unsigned whole number of up to 8 bytes, little endian.
std::uint64_t read_whole(std::string_view bytes);

// `bytes` are those of the algorithm. Never fails: whatever they say, the script has read them in
// the same way. Not for sliding_log.
algo::State found_state(std::string_view bytes, const algo::Numbers& numbers, Now now);

// What the script says of a log: as its request found it, and what was asked of it in the end.
struct FoundLog {
  std::uint64_t used = 0;
  Instant newest;
  std::optional<Instant> leaves;  // the entry with whose leaving the cost fits; it does, or never
};

// A log in which `needed` units have left once found.leaves has (0: none are asked for), and that
// agrees with the one in Redis in everything else that an Outcome tells; `more` units are charged
// at `now`. False where the script's numbers contradict each other.
bool found_log(const FoundLog& found, const algo::Numbers& numbers, std::uint64_t needed,
               std::uint64_t more, Now now, algo::Log& log);

}  // namespace weir::redis
