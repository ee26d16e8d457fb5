#include "traffic/tally.h"

#include <algorithm>
#include <array>

namespace weir::traffic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMostSteps = 120;

// Steps that people read off an axis, in seconds.
constexpr std::array<std::int64_t, 17> kSteps{
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1'800, 3'600, 7'200, 21'600, 43'200, 86'400};

Timeline timeline_of(std::int64_t first_ns, std::int64_t last_ns) {
  Timeline timeline;
  std::int64_t step = kSteps.back() * kSecond;
  for (const std::int64_t s : kSteps) {
    if ((last_ns - first_ns) / (s * kSecond) < kMostSteps) {
      step = s * kSecond;
      break;
    }
  }
  while ((last_ns - first_ns) / step >= kMostSteps) step *= 2;
  timeline.step_ns = step;
  timeline.begin_ns = first_ns - first_ns % step;
  timeline.steps.resize(static_cast<std::size_t>((last_ns - timeline.begin_ns) / step) + 1);
  return timeline;
}

}  // namespace

Tally::Tally(const decide::Snapshot& snapshot, const Keys& keys, const Events& events)
    : keys_(keys),
      limits_(snapshot.policy->limits.size()),
      tiers_(snapshot.policy->tiers.size()),
      classes_(snapshot.policy->classes.size()),
      requests_(events.requests()),
      by_key_(keys.size()),
      hurt_by_(snapshot.policy->limits.size()),
      timeline_(timeline_of(events.at(0).start_ns, events.at(events.size() - 1).start_ns)) {}

void Tally::add(const Event& event, const decide::Decision& decision) {
  totals_.all.add(decision.admit);
  totals_.skipped += decision.skipped ? 1 : 0;
  tiers_[decision.tier].add(decision.admit);
  classes_[decision.class_id].add(decision.admit);
  requests_[event.request].add(decision.admit);
  const std::int64_t last = static_cast<std::int64_t>(timeline_.steps.size()) - 1;
  const std::int64_t step = (event.start_ns - timeline_.begin_ns) / timeline_.step_ns;
  timeline_.steps[static_cast<std::size_t>(std::clamp<std::int64_t>(step, 0, last))].add(
      decision.admit);
  const std::uint32_t key_id = keys_.of(event.caller);
  KeyTally& key = by_key_[key_id];
  if (key.count.requests == 0) ++totals_.keys;
  key.count.add(decision.admit);
  key.tier = decision.tier;
  for (const decide::LimitVerdict& verdict : decision.limits()) {
    LimitTally& limit = limits_[verdict.limit];
    ++limit.asked;
    limit.denied += verdict.outcome.admit ? 0 : 1;
  }
  if (!decision.admit) {
    add_denial(event, decision, key, key_id);
  } else if (decision.delay.ns > 0) {
    totals_.delays.add(decision.delay);
  }
}

void Tally::add_denial(const Event& event, const decide::Decision& decision, KeyTally& key,
                       std::uint32_t key_id) {
  if (key.count.denied == 1) {
    ++totals_.hurt_keys;
    key.first_denied_ns = event.start_ns;
  }
  key.last_denied_ns = event.start_ns;
  key.worst_class = decision.class_id;
  const bool ends = decision.retry_after != Duration::max();
  if (ends) totals_.waits.add(decision.retry_after);
  totals_.never += ends ? 0 : 1;
  if (decision.governing == decide::kNoLimit) return;
  const policy::LimitId id = decision.limits()[decision.governing].limit;
  LimitTally& limit = limits_[id];
  key.governing = id;
  ++limit.governed;
  if (ends) limit.waits.add(decision.retry_after);
  limit.never += ends ? 0 : 1;
  if (hurt_by_[id].empty()) hurt_by_[id].resize(by_key_.size());
  if (!hurt_by_[id][key_id]) ++limit.hurt_keys;
  hurt_by_[id][key_id] = true;
}

std::vector<std::uint32_t> Tally::hurt(std::size_t most) const {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < by_key_.size(); ++key) {
    if (by_key_[key].count.denied > 0) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), [this](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t x = by_key_[a].count.denied;
    const std::uint64_t y = by_key_[b].count.denied;
    return x != y ? x > y : keys_.name(a) < keys_.name(b);
  });
  if (keys.size() > most) keys.resize(most);
  return keys;
}

}  // namespace weir::traffic
