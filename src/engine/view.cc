#include "engine/view.h"

namespace weir::engine {
namespace {

using policy::LimitNumbers;
using policy::NumbersKind;

// Does `b` let more through than `a`: a higher rate, or the same rate and more at once?
bool higher(const LimitNumbers& a, const LimitNumbers& b) {
  if (b.kind == NumbersKind::unlimited) return true;
  if (b.kind != NumbersKind::numbers) return false;
  if (a.kind != NumbersKind::numbers) return true;
  using Wide = unsigned __int128;
  const Wide rate_a = static_cast<Wide>(a.numbers.count) * b.numbers.period_ns;
  const Wide rate_b = static_cast<Wide>(b.numbers.count) * a.numbers.period_ns;
  return rate_b != rate_a ? rate_b > rate_a : b.numbers.burst > a.numbers.burst;
}

// The next public tier in which the governing limit is higher, and where to get it: the tier the
// caller has says so, or else the one it would move to.
void fill_upgrade(answer::View& view, const policy::Policy& policy, const decide::Decision& d) {
  const decide::LimitVerdict& governing = d.verdicts[d.governing];
  const std::vector<LimitNumbers>& tiers = policy.limits[governing.limit].tiers;
  for (std::size_t t = d.tier + std::size_t{1}; t < policy.tiers.size(); ++t) {
    const policy::Tier& next = policy.tiers[t];
    if (!next.is_public || !higher(*governing.numbers, tiers[t])) continue;
    const std::string& own = policy.tiers[d.tier].upgrade_url;
    view.upgrade_url = own.empty() ? next.upgrade_url : own;
    if (!view.upgrade_url.empty()) view.upgrade_label = next.label;
    return;
  }
}

// What a header or body names: enforced limits, with numbers or denied by the tier. Of a limit that
// let the request through uncounted there is nothing to say.
bool is_shown(const decide::LimitVerdict& v) {
  return v.mode == policy::Mode::enforce && !(v.failed && v.outcome.admit);
}

answer::LimitView limit_view(const policy::Policy& policy, const decide::LimitVerdict& v) {
  const policy::Limit& limit = policy.limits[v.limit];
  answer::LimitView shown;
  shown.name = limit.name;
  shown.unit = policy.units[limit.unit];
  shown.algorithm = limit.algorithm;
  shown.cost = v.cost;
  shown.outcome = v.outcome;
  shown.warned_ppm = v.warned_ppm;
  shown.file_order = v.limit;
  if (const algo::Numbers* numbers = v.applied()) {
    shown.quota = v.outcome.limit;  // a share of the limit, where the store failed and it is local
    shown.window = algo::published_window(*numbers);
  }
  return shown;
}

}  // namespace

void fill_view(answer::View& view, const decide::Snapshot& snapshot, const decide::Decision& d) {
  const policy::Policy& policy = *snapshot.policy;
  view.response = &policy.response;
  view.admit = d.admit;
  view.skipped = d.skipped;
  view.degraded = d.degraded;
  view.reason = d.reason;
  view.status = d.status;
  view.retry_after = d.retry_after;
  view.now = d.now;
  view.class_name = policy.classes[d.class_id].name;
  view.tier_name = policy.tiers[d.tier].name;
  view.account = d.account;
  view.upgrade_label = {};
  view.upgrade_url = {};
  view.key_hash = 0;
  view.governing = decide::kNoLimit;
  view.count = 0;
  for (std::size_t i = 0; i < d.count; ++i) {
    if (!is_shown(d.verdicts[i])) continue;
    if (i == d.governing) view.governing = view.count;
    view.verdicts[view.count++] = limit_view(policy, d.verdicts[i]);
  }
  if (d.governing == decide::kNoLimit) return;
  view.key_hash = d.verdicts[d.governing].key.lo;
  fill_upgrade(view, policy, d);
}

}  // namespace weir::engine
