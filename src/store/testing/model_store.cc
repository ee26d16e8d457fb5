#include "store/testing/model_store.h"

#include <algorithm>
#include <set>

namespace weir::store::testing {

ModelStore::Id ModelStore::own(const Charge& c) {
  return {c.slot, c.key.lo, c.key.hi, false, 0, 0, 0};
}

ModelStore::Id ModelStore::shared(const Charge& c) {
  return {c.slot, 0, 0, true, c.numbers->count, c.numbers->period_ns, c.numbers->burst};
}

void ModelStore::forget_dead() {
  const auto dead = [&](const auto& entry) { return entry.second.expires <= now_.steady; };
  std::erase_if(counters_, dead);
  std::erase_if(overflow_, dead);
}

// The counter that each charge falls on: its own, or the shared one where no place is left.
std::vector<ModelStore::Id> ModelStore::places_for(std::span<const Charge> charges,
                                                   std::vector<bool>& refused) {
  std::vector<Id> ids;
  std::set<Id> placed;
  std::set<Id> homeless;
  for (const Charge& c : charges) {
    const Id id = own(c);
    const bool has_place =
        homeless.count(id) == 0 && (counters_.count(id) != 0 || placed.count(id) != 0 ||
                                    places_ == 0 || counters_.size() + placed.size() < places_);
    if (has_place && counters_.count(id) == 0) placed.insert(id);
    if (!has_place) homeless.insert(id);
    refused.push_back(!has_place && deny_when_full_);
    ids.push_back(has_place || deny_when_full_ ? id : shared(c));
  }
  return ids;
}

// What one counter says; with `commit` an admission, or the clamp of a denial, is written.
Outcome ModelStore::apply(Counters& to, const Charge& c, const Id& id, std::uint64_t cost,
                          bool commit) {
  const bool log = c.numbers->algorithm == Algorithm::sliding_log;
  const auto found = to.find(id);
  Counter counter = found == to.end() ? Counter{} : found->second;
  Outcome outcome;
  if (log) {
    outcome = commit ? counter.log.charge(*c.numbers, cost, now_)
                     : counter.log.peek(*c.numbers, cost, now_);
    counter.expires = counter.log.full_at(*c.numbers);
  } else if (commit) {
    const algo::Step step = algo::charge(*c.numbers, counter.state, cost, now_, c.max_delay);
    outcome = step.outcome;
    if (step.next != counter.state && (outcome.admit || found != to.end())) {
      counter.state = step.next;
      counter.expires = algo::full_at(*c.numbers, counter.state, now_);
    }
  } else {
    outcome = algo::peek(*c.numbers, counter.state, cost, now_, c.max_delay);
  }
  if (commit && counter.expires > now_.steady) to[id] = counter;
  outcome.overflow = std::get<3>(id);
  return outcome;
}

Seen ModelStore::decide(std::span<const Charge> charges, bool peek, Now now) {
  now_ = {std::max(now_.steady, now.steady), now.wall_offset_ns};
  forget_dead();
  std::vector<bool> refused;
  const std::vector<Id> ids = places_for(charges, refused);
  Seen seen{true, false, now_, std::vector<Outcome>(charges.size())};
  Counters after = counters_;
  after.merge(Counters(overflow_));
  Counters before = after;
  std::map<Id, std::uint64_t> wanted;
  std::vector<Outcome> as_found(charges.size());
  for (const bool shadow : {false, true}) {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const Charge& c = charges[i];
      if (c.shadow != shadow) continue;
      std::uint64_t& sum = wanted[ids[i]];
      as_found[i] = apply(before, c, ids[i], sum + c.cost, false);
      if (refused[i] && c.cost > 0 && as_found[i].admit) {
        as_found[i].admit = false;
        as_found[i].reason = Reason::table_full;
        as_found[i].remaining = 0;
        as_found[i].wait = as_found[i].reset = memory::kFullRetryHint;
      }
      seen.outcomes[i] = refused[i] ? as_found[i] : apply(after, c, ids[i], c.cost, true);
      const bool admit = seen.outcomes[i].admit;
      if (admit) sum += c.cost;
      if (!admit && !refused[i] && !peek && sum == 0) {
        (void)apply(before, c, ids[i], c.cost, true);  // a denial's clamp
      }
      if (!shadow && !admit) seen.admit = false;
    }
  }
  const bool charged = seen.admit && !peek;
  if (!charged) seen.outcomes = as_found;
  counters_.clear();
  overflow_.clear();
  for (auto& [id, counter] : charged ? after : before) {
    (std::get<3>(id) ? overflow_ : counters_)[id] = counter;
  }
  return seen;
}

void ModelStore::refund(const Charge& c, Now now) {
  now_ = {std::max(now_.steady, now.steady), now.wall_offset_ns};
  forget_dead();
  const auto found = counters_.find(own(c));
  if (found == counters_.end()) return;
  Counter& counter = found->second;
  if (c.numbers->algorithm == Algorithm::sliding_log) {
    counter.log.refund(*c.numbers, c.cost, now_);
    counter.expires = counter.log.full_at(*c.numbers);
  } else {
    counter.state = algo::refund(*c.numbers, counter.state, c.cost, now_);
    counter.expires = algo::full_at(*c.numbers, counter.state, now_);
  }
  forget_dead();
}

bool ModelStore::reset(Slot slot, const base::Digest& key) {
  forget_dead();
  return std::erase_if(counters_, [&](const auto& entry) {
           return std::get<0>(entry.first) == slot && std::get<1>(entry.first) == key.lo &&
                  std::get<2>(entry.first) == key.hi;
         }) > 0;
}

}  // namespace weir::store::testing
