// Lint rules about algorithms and numbers that do not mean what they seem to.
#include <fmt/format.h>

#include <algorithm>

#include "algo/numbers.h"
#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

using policy::Limit;
using policy::LimitNumbers;
using policy::Policy;

constexpr std::uint64_t kSecond = 1'000'000'000;
__extension__ using Wide = unsigned __int128;

constexpr Duration kClientPatience = seconds(30);  // what common gateways and clients wait
constexpr std::uint64_t kLogEntryBytes = 16;
constexpr std::uint64_t kLogBudget = std::uint64_t{4} << 30;

// burst / rate against a length of time, without rounding.
bool burst_at_most(const algo::Numbers& n, std::uint64_t ns) {
  return static_cast<Wide>(n.burst) * n.period_ns <= static_cast<Wide>(n.count) * ns;
}

// Each set of numbers of a limit, once for tiers that share a place in the file.
template <typename Visit>
void each_numbers(const Policy& policy, const Limit& limit, Visit&& visit) {
  policy::Position last;
  for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
    const LimitNumbers& n = limit.tiers[t];
    if (!has_numbers(n)) continue;
    const policy::Position at = where(limit, n);
    if (t > 0 && at.line == last.line && at.column == last.column) continue;
    last = at;
    visit(n.numbers, at, policy.tiers[t].name);
  }
}

}  // namespace

void burst_beyond_the_period(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::token_bucket || is_global(limit)) continue;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      if (n.period_ns < 60 * kSecond || n.burst <= n.count) return;
      report.add(at,
                 fmt::format("{} of {} admits {} in one {}, not {}", quoted(limit.name),
                             numbers_text(n), count_text(detail::saturating_add(n.burst, n.count)),
                             duration_text({n.period_ns}), count_text(n.count)));
    });
  }
}

void log_memory(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::sliding_log) continue;
    const std::uint64_t keys = is_global(limit) ? 1 : policy.store.max_keys;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      const std::uint64_t a_key = detail::saturating_mul(n.count, kLogEntryBytes);
      const std::uint64_t bytes = detail::saturating_mul(a_key, keys);
      if (bytes <= kLogBudget) return;
      report.add(at,
                 fmt::format("{} remembers every request: {} x {} bytes a key, {} MiB at {} keys",
                             quoted(limit.name), count_text(n.count), kLogEntryBytes,
                             count_text(bytes >> 20), count_text(keys)));
    });
  }
}

void queue_longer_than_patience(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::leaky_bucket) continue;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      const auto queue = static_cast<std::uint64_t>(std::min<Wide>(
          static_cast<Wide>(n.burst - 1) * n.period_ns / n.count, ~std::uint64_t{0}));
      const Duration longest{std::min(queue, n.max_wait_ns)};
      if (longest <= kClientPatience) return;
      report.add(at, fmt::format("the last in the queue of {} waits {}; clients give up after "
                                 "about {}",
                                 quoted(limit.name), duration_text(longest),
                                 duration_text(kClientPatience)));
    });
  }
}

void hold_beyond_the_wait(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::leaky_bucket) continue;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      if (limit.hold.ns <= n.max_wait_ns) return;
      report.add(at, fmt::format("{} holds an answer up to {}, and nothing in it waits longer than "
                                 "`max_wait` {}",
                                 quoted(limit.name), duration_text(limit.hold),
                                 duration_text({n.max_wait_ns})));
    });
  }
}

void burst_of_one_second(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::token_bucket || is_global(limit)) continue;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      if (!burst_at_most(n, kSecond)) return;
      report.add(at, fmt::format("the burst of {} ({}) is at most one second of its rate: a page "
                                 "that sends its requests together is denied",
                                 quoted(limit.name), numbers_text(n)));
    });
  }
}

void burst_of_an_hour(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (const Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::token_bucket) continue;
    each_numbers(policy, limit, [&](const algo::Numbers& n, policy::Position at, const auto&) {
      if (n.burst <= n.count || burst_at_most(n, 3'600 * kSecond)) return;
      report.add(at, fmt::format("the burst of {} ({}) is more than an hour of its rate",
                                 quoted(limit.name), numbers_text(n)));
    });
  }
}

}  // namespace weir::design::lint
