// sliding_log: a ring of (instant, running total), oldest first.
#include "algo/log.h"

#include <algorithm>
#include <utility>

#include "algo/level.h"

namespace weir::algo {

// What one Log holds at one instant, expired entries already forgotten.
class LogLevel {
 public:
  LogLevel(const Log& log, const Numbers& numbers, Instant now)
      : log_(log), numbers_(numbers), now_(now) {}

  std::uint64_t limit() const { return numbers_.count; }
  std::uint64_t remaining(std::uint64_t) const {
    return detail::saturating_sub(numbers_.count, log_.used());
  }
  bool fits(std::uint64_t cost) const { return cost <= remaining(cost); }
  Duration wait(std::uint64_t cost) const {
    if (fits(cost)) return {};
    return leaves(oldest_that_frees(log_.used() - (numbers_.count - cost)));
  }
  Duration reset() const { return log_.size_ == 0 ? Duration{} : leaves(log_.size_ - 1); }
  Duration delay(std::uint64_t) const { return {}; }

 private:
  Duration leaves(std::size_t i) const {
    return log_.entry(i).at + Duration{numbers_.period_ns} - now_;
  }
  // The first entry whose leaving, after all before it, frees `units`.
  std::size_t oldest_that_frees(std::uint64_t units) const {
    std::size_t low = 0;
    std::size_t high = log_.size_ - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (log_.entry(middle).total - log_.gone_ >= units) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  const Log& log_;
  const Numbers& numbers_;
  Instant now_;
};

Outcome Log::peek(const Numbers& numbers, std::uint64_t cost, Now now) {
  settle(now.steady, numbers.period_ns);
  return peek_level(LogLevel(*this, numbers, now.steady), cost);
}

Outcome Log::charge(const Numbers& numbers, std::uint64_t cost, Now now) {
  settle(now.steady, numbers.period_ns);
  const LogLevel level(*this, numbers, now.steady);
  if (cost == 0 || reason_of(level, cost) != Reason::admitted) return peek_level(level, cost);
  append(now.steady, cost);
  Outcome outcome;
  tell(level, cost, Reason::admitted, {}, outcome);
  return outcome;
}

void Log::refund(const Numbers& numbers, std::uint64_t cost, Now now) {
  settle(now.steady, numbers.period_ns);
  std::uint64_t left = std::min(cost, used());
  while (left != 0) {
    Entry& newest = entry(size_ - 1);
    const std::uint64_t before = size_ == 1 ? gone_ : entry(size_ - 2).total;
    const std::uint64_t taken = std::min(left, newest.total - before);
    newest.total -= taken;
    left -= taken;
    if (newest.total == before) --size_;
  }
}

Instant Log::full_at(const Numbers& numbers) const {
  return size_ == 0 ? Instant{} : entry(size_ - 1).at + Duration{numbers.period_ns};
}

// Entries are in order: found by bisection.
std::size_t Log::until(Instant at) const {
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (entry(middle).at <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Log::settle(Instant now, std::uint64_t window_ns) {
  if (size_ == 0) return;
  if (entry(size_ - 1).at > now) {
    const std::uint64_t total = entry(size_ - 1).total;
    size_ = until(now) + 1;
    entry(size_ - 1) = {now, total};
  }
  if (now.ns < window_ns) return;
  const std::size_t left = until(Instant{now.ns - window_ns});
  if (left == 0) return;
  gone_ = entry(left - 1).total;
  first_ = (first_ + left) & (ring_.size() - 1);
  size_ -= left;
}

void Log::append(Instant at, std::uint64_t cost) {
  if (size_ != 0 && entry(size_ - 1).at == at) {
    entry(size_ - 1).total += cost;
    return;
  }
  const std::uint64_t total = (size_ == 0 ? gone_ : entry(size_ - 1).total) + cost;
  if (size_ == ring_.size()) grow();
  ++size_;
  entry(size_ - 1) = {at, total};
}

void Log::grow() {
  std::vector<Entry> larger(std::max<std::size_t>(4, ring_.size() * 2));
  for (std::size_t i = 0; i < size_; ++i) larger[i] = entry(i);
  ring_ = std::move(larger);
  first_ = 0;
}

}  // namespace weir::algo
