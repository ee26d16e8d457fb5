#include "answer/signals.h"

#include <algorithm>

#include "base/u128.h"

namespace weir::answer {
namespace {

bool has_numbers(const LimitView& limit) {
  switch (limit.outcome.reason) {
    case Reason::not_in_plan:
    case Reason::missing_key:
    case Reason::store_failure:
      return false;
    default:
      return limit.quota > 0;
  }
}

// Time in which a client that spends `count` stays within q/w: at least a second.
Duration paced(std::uint64_t count, std::uint64_t window_s, std::uint64_t quota) {
  return seconds(std::max<std::uint64_t>(1, base::mul_div_ceil(count, window_s, quota)));
}

Duration effective_window(const LimitView& limit, const Signal& signal, std::uint64_t remaining) {
  const Outcome& outcome = limit.outcome;
  if (!outcome.admit && outcome.wait != Duration::max()) return outcome.wait;
  if (limit.algorithm == Algorithm::fixed_window) return outcome.reset;
  if (remaining > 0) return paced(remaining, signal.window_s, limit.quota);
  if (outcome.wait == Duration::max()) return outcome.reset;
  if (outcome.wait.ns > 0) return outcome.wait;
  return paced(1, signal.window_s, limit.quota);  // a free request: the next unit
}

Signal signal_of(const LimitView& limit) {
  Signal signal;
  signal.limit = &limit;
  signal.window_s = std::clamp<std::uint64_t>(limit.window.seconds_up(), 1, kMaxInteger);
  const std::uint64_t remaining = std::min(limit.outcome.remaining, limit.quota);
  signal.quota = std::min(limit.quota, kMaxInteger);
  signal.remaining = std::min(remaining, kMaxInteger);
  signal.span = effective_window(limit, signal, remaining);
  signal.reset_s = std::max<std::uint64_t>(1, signal.span.seconds_up());
  signal.never = limit.outcome.wait == Duration::max();
  return signal;
}

bool before(const Signal& a, const Signal& b) { return a.limit->file_order < b.limit->file_order; }

// Lower remaining; of equals the longer wait.
bool lower(const Signal& a, const Signal& b) {
  if (a.remaining != b.remaining) return a.remaining < b.remaining;
  return a.span > b.span;
}

// SplitMix64's finaliser: every bit of the hash moves the jitter.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

void fill(Signals& signals, const View& view) {
  for (const LimitView& limit : view.limits()) {
    if (!has_numbers(limit)) continue;
    const Signal signal = signal_of(limit);
    std::size_t at = signals.count++;
    for (; at > 0 && before(signal, signals.items[at - 1]); --at) {
      signals.items[at] = signals.items[at - 1];
    }
    signals.items[at] = signal;
  }
  const LimitView* governing =
      view.governing < view.count ? &view.verdicts[view.governing] : nullptr;
  for (const Signal& signal : signals.all()) {
    if (signal.limit == governing) signals.governing = &signal;
    if (signals.lowest == nullptr || lower(signal, *signals.lowest)) signals.lowest = &signal;
  }
  if (!view.admit) signals.lowest = signals.governing;
  signals.retry_after_s = retry_after_seconds(view);
}

std::uint64_t retry_after_seconds(const View& view) {
  if (view.admit) return 0;
  Duration wait = view.retry_after;
  if (wait == Duration::max()) {
    // A store comes back; nothing else that never fits does.
    if (view.reason != Reason::store_failure) return 0;
    wait = seconds(1);
  }
  const std::uint64_t most = base::mul_div_floor(wait.ns, view.response->jitter_ppm, 1'000'000);
  const auto extra = static_cast<std::uint64_t>((base::u128{most} * mixed(view.key_hash)) >> 64);
  return std::max<std::uint64_t>(1, (wait + Duration{extra}).seconds_up());
}

std::uint64_t unix_seconds_after(const Now& now, Duration span) {
  return Duration{(now.wall() + span).ns}.seconds_up();
}

}  // namespace weir::answer
