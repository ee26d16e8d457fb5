#include "redis/found_state.h"

#include <algorithm>

#include "algo/packed.h"

namespace weir::redis {
namespace {

constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint64_t kMicro = 1'000;

algo::State bucket(std::string_view bytes) {
  const std::uint64_t seconds = read_whole(bytes.substr(0, 5));
  const std::uint64_t rest = read_whole(bytes.substr(5, 4));
  return {detail::saturating_add(detail::saturating_mul(seconds, kGiga), rest), 0, 0};
}

// An ordinal and its count in the 64 bits of algo. Redis keeps them whole, so the ordinal is said
// relative to the current one (any later one is as the next), and a count beyond what its bits hold
// is beyond every limit too.
std::uint64_t packed(const algo::Numbers& numbers, std::uint64_t ordinal, std::uint64_t count) {
  const algo::Split split(numbers.period_ns);
  return split.pack(ordinal, std::min(count, (std::uint64_t{1} << split.count_bits()) - 1));
}

algo::State fixed_window(std::string_view bytes, const algo::Numbers& numbers, Now now) {
  const std::uint64_t start = read_whole(bytes.substr(0, 7));
  const std::uint64_t count = read_whole(bytes.substr(7, 7));
  if (count == 0) return {};
  if (numbers.align == Align::first) return {detail::saturating_mul(start, kMicro), count, 0};
  const std::uint64_t current = now.wall().ns / numbers.period_ns;
  if (start < current) return {};
  return {packed(numbers, std::min(start, current + 1), count), 0, 0};
}

algo::State sliding_window(std::string_view bytes, const algo::Numbers& numbers, Now now) {
  const std::uint64_t start = read_whole(bytes.substr(0, 7));
  const std::uint64_t previous = read_whole(bytes.substr(7, 7));
  const std::uint64_t count = read_whole(bytes.substr(14, 7));
  if (previous == 0 && count == 0) return {};
  if (numbers.align == Align::first) {
    return {detail::saturating_mul(start, kMicro), previous, count};
  }
  const std::uint64_t current = now.wall().ns / numbers.period_ns;
  if (start + 1 < current) return {};
  if (start + 1 == current) return {packed(numbers, current, 0), count, 0};
  return {packed(numbers, std::min(start, current + 1), count), previous, 0};
}

}  // namespace

std::uint64_t read_whole(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    word = word << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return word;
}

algo::State found_state(std::string_view bytes, const algo::Numbers& numbers, Now now) {
  if (numbers.algorithm == Algorithm::fixed_window) return fixed_window(bytes, numbers, now);
  if (numbers.algorithm == Algorithm::sliding_window) return sliding_window(bytes, numbers, now);
  return bucket(bytes);
}

bool found_log(const FoundLog& found, const algo::Numbers& numbers, std::uint64_t needed,
               std::uint64_t more, Now now, algo::Log& log) {
  algo::Numbers any = numbers;  // what is there was charged under whatever limit then was
  any.count = kMaxCount;
  const Duration window{numbers.period_ns};
  const auto charge = [&](std::uint64_t cost, Instant at) {
    return cost == 0 || log.charge(any, cost, {at, 0}).admit;
  };
  std::uint64_t rest = found.used;
  if (needed != 0 && needed <= found.used) {
    if (!found.leaves || *found.leaves > found.newest) return false;
    const Instant at = *found.leaves;
    if (needed == found.used && at != found.newest) return false;
    if (std::max(now.steady, found.newest) - at >= window || !charge(needed, at)) return false;
    rest -= needed;
  }
  if (rest != 0 && now.steady > found.newest && now.steady - found.newest >= window) return false;
  return charge(rest, found.newest) && charge(more, now.steady);
}

}  // namespace weir::redis
