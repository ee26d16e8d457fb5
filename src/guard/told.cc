#include "guard/told.h"

#include "algo/step.h"

namespace weir::guard {
namespace {

constexpr std::uint64_t kDriftShift = 10;  // a part in 1,024

bool is_bucket(const algo::Numbers& numbers) {
  return numbers.algorithm == Algorithm::token_bucket ||
         numbers.algorithm == Algorithm::leaky_bucket;
}

// A bucket's state is the instant at which it is full, and that was told.
algo::State bucket_state(const Told& told) {
  return {(told.at.steady + told.outcome.reset).ns, 0, 0};
}

Outcome peek_bucket(const Told& told, const algo::Numbers& numbers, std::uint64_t cost,
                    Duration max_delay, Instant at) {
  return algo::peek(numbers, bucket_state(told), cost, {at, told.at.wall_offset_ns}, max_delay);
}

// Stores whose clock ticks in microseconds say waits in whole ones.
Duration whole_microseconds(Duration d) {
  if (d == Duration::max()) return d;
  return microseconds(d.ns / 1'000 + (d.ns % 1'000 != 0));
}

Outcome as_told(const Told& told, Instant now) {
  Outcome outcome = told.outcome;
  if (outcome.wait != Duration::max()) outcome.wait = left_of(told, outcome.wait, now);
  outcome.reset = left_of(told, outcome.reset, now);
  return outcome;
}

bool a_denial(const Told& told) {
  return !told.outcome.admit && told.outcome.reason == Reason::limit_exceeded;
}

// Whether what was said of one cost is said of another. A fixed window ends for all at once.
bool speaks_of(const Told& told, const algo::Numbers& numbers, std::uint64_t cost) {
  if (cost == told.cost) return true;
  return numbers.algorithm == Algorithm::fixed_window && cost > told.cost && cost <= numbers.count;
}

}  // namespace

void Told::hear(const Told& later, bool charged, const algo::Numbers& numbers) {
  // Of answers that crossed the store's clock knows the order. Else ours does: a store whose place
  // another has taken may have an earlier one.
  if (later.at.steady < at.steady && later.asked < answered) return;
  *this = later;
  if (charged && !is_bucket(numbers)) cost = 0;
}

Instant Told::latest(Instant now) const {
  const Duration since = now - asked;
  return at.steady + since + Duration{since.ns >> kDriftShift};
}

Instant Told::earliest(Instant now) const { return at.steady + (now - answered); }

Duration left_of(const Told& told, Duration length, Instant now) {
  return told.at.steady + length - told.earliest(now);
}

Duration wait_for(const Told& told, const algo::Numbers& numbers, std::uint64_t cost, Instant now) {
  if (!is_bucket(numbers)) return left_of(told, told.outcome.wait, now);
  return whole_microseconds(
      peek_bucket(told, numbers, cost, Duration::max(), told.earliest(now)).wait);
}

std::optional<Outcome> denied_still(const Told& told, const algo::Numbers& numbers,
                                    std::uint64_t cost, Duration max_delay, Instant now) {
  if (told.cost == 0) return std::nullopt;
  if (is_bucket(numbers)) {
    if (peek_bucket(told, numbers, cost, max_delay, told.latest(now)).admit) return std::nullopt;
    Outcome outcome = peek_bucket(told, numbers, cost, max_delay, told.earliest(now));
    outcome.wait = whole_microseconds(outcome.wait);
    return outcome;
  }
  if (!a_denial(told) || !speaks_of(told, numbers, cost)) return std::nullopt;
  if (told.latest(now) >= told.at.steady + told.outcome.wait) return std::nullopt;
  return as_told(told, now);
}

std::optional<Outcome> shown(const Told& told, const algo::Numbers& numbers, std::uint64_t cost,
                             Duration max_delay, Instant now) {
  if (const auto denial = denied_still(told, numbers, cost, max_delay, now)) return denial;
  if (told.cost == 0) return std::nullopt;
  if (is_bucket(numbers)) {
    const Outcome outcome = peek_bucket(told, numbers, cost, max_delay, told.earliest(now));
    return outcome.admit ? std::optional(outcome) : std::nullopt;
  }
  const bool over = told.latest(now) >= told.at.steady + told.outcome.reset;
  if (!told.outcome.admit || cost != told.cost || over) return std::nullopt;
  return as_told(told, now);
}

std::optional<Outcome> denied_then(const Told& told, const algo::Numbers& numbers,
                                   std::uint64_t cost, Duration max_delay, Instant now) {
  if (told.cost == 0) return std::nullopt;
  if (is_bucket(numbers)) {
    Outcome outcome = peek_bucket(told, numbers, cost, max_delay, told.at.steady);
    if (outcome.admit) return std::nullopt;
    if (outcome.wait != Duration::max()) {
      outcome.wait = whole_microseconds(left_of(told, outcome.wait, now));
    }
    outcome.reset = left_of(told, outcome.reset, now);
    return outcome;
  }
  if (!a_denial(told) || !speaks_of(told, numbers, cost)) return std::nullopt;
  return as_told(told, now);
}

}  // namespace weir::guard
