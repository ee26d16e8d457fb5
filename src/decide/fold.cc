#include "decide/fold.h"

#include <algorithm>

namespace weir::decide {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

// The highest of the thresholds (millionths of the limit) that usage has reached.
std::uint32_t warned(const policy::Limit& limit, const Outcome& o) {
  const std::uint64_t used = o.limit - o.remaining;
  std::uint32_t highest = 0;
  for (const std::uint32_t ppm : limit.warn_at_ppm) {
    using Wide = unsigned __int128;
    if (static_cast<Wide>(used) * kMillion >= static_cast<Wide>(o.limit) * ppm) highest = ppm;
  }
  return highest;
}

bool denies_longer(const LimitVerdict& a, const LimitVerdict& b) {
  return a.outcome.wait > b.outcome.wait;
}

// How many such requests still fit. A cost of 1 is the rule and a division is dear.
std::uint64_t room(const LimitVerdict& v) {
  return v.cost == 1 ? v.outcome.remaining : v.outcome.remaining / v.cost;
}

}  // namespace

void fold(const policy::Policy& policy, Decision& d) {
  bool denied = false;
  std::uint64_t least_room = ~std::uint64_t{0};  // of the governing limit
  Duration longest_reset;
  for (std::size_t i = 0; i < d.count; ++i) {
    LimitVerdict& v = d.verdicts[i];
    const policy::Limit& limit = policy.limits[v.limit];
    if (!limit.warn_at_ppm.empty() && v.applied() != nullptr)
      v.warned_ppm = warned(limit, v.outcome);
    if (v.mode != policy::Mode::enforce) continue;
    if (!v.outcome.admit) {
      if (!denied || denies_longer(v, d.verdicts[d.governing])) d.governing = i;
      denied = true;
    } else if (!denied && !v.failed) {
      d.delay = std::max(d.delay, v.outcome.delay);
      const std::uint64_t fit = room(v);
      if (fit > least_room || (fit == least_room && v.outcome.reset <= longest_reset)) continue;
      least_room = fit;
      longest_reset = v.outcome.reset;
      d.governing = i;
    }
  }
  if (!denied) return;
  const LimitVerdict& governing = d.verdicts[d.governing];
  d.admit = false;
  d.delay = {};
  d.reason = governing.outcome.reason;
  d.retry_after = governing.outcome.wait;
  d.status = d.reason == Reason::store_failure ? 503 : policy.limits[governing.limit].status;
}

}  // namespace weir::decide
