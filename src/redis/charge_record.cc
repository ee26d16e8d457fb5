#include "redis/charge_record.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/u128.h"

namespace weir::redis {
namespace {

using algo::Numbers;
using base::u128;

constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint64_t kExact = std::uint64_t{1} << 52;  // sums of two such are exact as doubles
constexpr int kRefund = 2;

enum Kind : std::uint8_t {
  kNothing,
  kBucket,
  kLongBucket,
  kGridBucket,
  kWideBucket,
  kFixedEpoch,
  kFixedFirst,
  kSlidingEpoch,
  kSlidingFirst,
  kLog,
};

double number(std::uint64_t value) { return static_cast<double>(value); }

// Nanoseconds, or units of a bucket, in two parts.
void append_pair(std::string& out, std::uint64_t value) {
  append_number(out, number(value / kGiga));
  append_number(out, number(value % kGiga));
}

void append_head(std::string& out, Kind kind, int mode, int place, std::size_t key) {
  append_u8(out, kind);
  append_u8(out, static_cast<std::size_t>(mode));
  append_u8(out, static_cast<std::size_t>(place));
  append_u16(out, key);
}

// A bucket whose unit is no nanosecond: v(t) = floor(t * (c - d) / c), in lowest terms.
struct Grid {
  explicit Grid(const Numbers& n) {
    const std::uint64_t lag = n.period_ns - n.units_per_period;
    const std::uint64_t common = std::gcd(n.period_ns, lag);
    c = n.period_ns / common;
    d = lag / common;
    round_s = c / std::gcd(c, kGiga);
    // One unit more than can be owed has come back by then.
    beyond = detail::saturating_add(base::mul_div_ceil(n.most_owed_units + 1, c, c - d), 1);
  }
  bool narrow() const {
    return u128{c} * d < kExact && u128{beyond} * d < kExact && beyond < kExact && c < kExact &&
           u128{round_s} * kGiga < kExact;
  }

  std::uint64_t c, d, round_s, beyond;
};

struct Bucket {
  const Numbers& numbers;
  std::uint64_t cost = 0;     // in units
  std::uint64_t allowed = 0;  // the longest delay, ns
};

Bucket bucket_of(const store::Charge& charge, bool refund) {
  const Numbers& n = *charge.numbers;
  const u128 units = u128{charge.cost} * n.units_per_token;
  const std::uint64_t most = refund ? n.burst_units : base::kMaxU64;
  Bucket b{n, static_cast<std::uint64_t>(std::min<u128>(units, most)), base::kMaxU64};
  if (n.algorithm == Algorithm::leaky_bucket) {
    b.allowed = std::min(n.max_wait_ns, charge.max_delay.ns);
  }
  return b;
}

void append_grid_bucket(std::string& out, const Bucket& b, const Grid& grid) {
  append_number(out, number(b.cost));
  append_number(out, number(b.numbers.burst_units));
  append_number(out, number(grid.c));
  append_number(out, number(grid.d));
  append_number(out, number(grid.round_s));
  append_number(out, number(grid.beyond));
  append_number(out, number(std::min(b.allowed, kMaxCount)));
  append_number(out, number(b.numbers.most_owed_units));
}

// A unit is a nanosecond.
void append_plain_bucket(std::string& out, const Bucket& b, int mode, int place, std::size_t key) {
  const std::uint64_t most = b.numbers.most_owed_units;
  if (most < kExact) {
    append_head(out, kBucket, mode, place, key);
    append_number(out, number(std::min(b.cost, kExact)));
    append_number(out, number(b.numbers.burst_units));
    append_number(out, number(most));
    append_number(out, number(std::min(b.allowed, kExact)));
    return;
  }
  append_head(out, kLongBucket, mode, place, key);
  append_pair(out, b.cost);
  append_pair(out, b.numbers.burst_units);
  append_pair(out, b.allowed);
  append_pair(out, most);
}

void append_bucket(std::string& out, const Bucket& b, int mode, int place, std::size_t key) {
  if (b.numbers.on_the_nanosecond()) return append_plain_bucket(out, b, mode, place, key);
  const Grid grid(b.numbers);
  if (grid.narrow()) {
    append_head(out, kGridBucket, mode, place, key);
    return append_grid_bucket(out, b, grid);
  }
  append_head(out, kWideBucket, mode, place, key);
  append_pair(out, b.cost);
  append_pair(out, b.numbers.burst_units);
  append_pair(out, grid.c);
  append_number(out, number(grid.d));
  append_pair(out, b.allowed);
  append_pair(out, b.numbers.most_owed_units);
}

void append_window(std::string& out, const store::Charge& charge, int mode, int place,
                   std::size_t key, std::optional<std::uint64_t> charged_us) {
  const Numbers& n = *charge.numbers;
  const bool epoch = n.align == Align::epoch;
  const Kind kind = n.algorithm == Algorithm::fixed_window ? (epoch ? kFixedEpoch : kFixedFirst)
                    : n.algorithm == Algorithm::sliding_window
                        ? (epoch ? kSlidingEpoch : kSlidingFirst)
                        : kLog;
  const std::uint64_t window = n.period_ns / 1'000;
  const std::uint64_t never = 2 * kMaxCount;
  append_head(out, kind, mode, place, key);
  append_number(
      out,
      number(charge.cost <= n.count || mode == kRefund ? std::min(charge.cost, kMaxCount) : never));
  append_number(out, number(mode != kRefund ? n.count : charged_us ? *charged_us + 1 : 0));
  append_number(out, number(window));
  // What the double above has rounded off a window of more than 285 years.
  const auto rounded = static_cast<std::uint64_t>(number(window));
  append_number(out, static_cast<double>(static_cast<std::int64_t>(window - rounded)));
}

}  // namespace

void append_u8(std::string& out, std::size_t value) { out += static_cast<char>(value & 0xff); }

void append_u16(std::string& out, std::size_t value) {
  append_u8(out, value);
  append_u8(out, value >> 8);
}

void append_number(std::string& out, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) append_u8(out, bits);
}

void append_record(std::string& out, const store::Charge& charge, int mode, int place,
                   std::size_t key, std::optional<std::uint64_t> charged_us) {
  const Algorithm algorithm = charge.numbers->algorithm;
  if (charge.cost == 0 && algorithm != Algorithm::sliding_log) {
    append_head(out, kNothing, mode, place, key);
    for (int i = 0; i < 4; ++i) append_number(out, 0);
  } else if (algorithm == Algorithm::token_bucket || algorithm == Algorithm::leaky_bucket) {
    append_bucket(out, bucket_of(charge, mode == kRefund), mode, place, key);
  } else {
    append_window(out, charge, mode, place, key, charged_us);
  }
}

}  // namespace weir::redis
