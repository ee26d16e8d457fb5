#include "guard/turn.h"

#include <algorithm>

#include "algo/prefetch.h"

namespace weir::guard {
// What the store said when it was asked last, and what is in hand since: it said both.
Outcome lease_outcome(const Entry& entry, std::uint64_t cost, Instant now) {
  Outcome o;
  o.limit = entry.numbers.burst;
  o.remaining = std::min(o.limit, entry.told.outcome.remaining + entry.lease.in_hand());
  o.reset = left_of(entry.told, entry.told.outcome.reset, now);
  if (o.remaining < cost) o.wait = wait_for(entry.told, entry.numbers, cost, now);
  return o;
}

std::uint64_t target_of(const Entry& entry, std::uint64_t cost, Instant now) {
  const std::uint64_t most = algo::most_prefetched(entry.numbers);
  return std::min(most, std::max(cost, entry.demand.within(algo::kPrefetchAhead, now)));
}

Turn::Deed Turn::look(Call*& call) {
  const Table::Locks locks(guard_.table_, charges_);
  bool denied = false;
  bool all_known = true;
  bool awaited = false;
  bool asks_anyway = false;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    const Standing s = standing_[i] = stand(i);
    denied = denied || (s == Standing::denied && !charges_[i].shadow);
    awaited = awaited || s == Standing::awaits;
    asks_anyway = asks_anyway || s == Standing::unknown;
    all_known = all_known && s != Standing::unknown && s != Standing::awaits;
  }
  if (denied && all_known) return deny();
  // Nobody waits twice, nor where the store has to be asked about another charge: then it is asked
  // for all that is not in hand, and for tokens for those who come next.
  const bool waits = asker_.waits == 0 && !asks_anyway && guard_.waiting_leaves_time();
  if (awaited && !denied && waits) return wait(call);
  return take(call);
}

Turn::Standing Turn::stand(std::size_t i) {
  const store::Charge& c = charges_[i];
  if (!c.prefetch) {
    entries_[i] = guard_.table_.find(c);
    return entries_[i] == nullptr ? Standing::unknown
                                  : stand_told(i, *entries_[i], guard_.options_.believed);
  }
  entries_[i] = guard_.table_.find_or_make(c, now_.steady);
  return entries_[i] == nullptr ? Standing::unknown : stand_prefetched(i, *entries_[i]);
}

Turn::Standing Turn::stand_told(std::size_t i, const Entry& entry, Duration believed) {
  const store::Charge& c = charges_[i];
  if (now_.steady - entry.told.asked > believed) return Standing::unknown;
  const auto outcome = shown(entry.told, entry.numbers, c.cost, c.max_delay, now_.steady);
  if (!outcome) return Standing::unknown;
  outcomes_.make(i) = *outcome;
  speak_for(entry);
  return outcome->admit ? Standing::known : Standing::denied;
}

Turn::Standing Turn::stand_prefetched(std::size_t i, Entry& entry) {
  const store::Charge& c = charges_[i];
  if (asker_.waits == 0) entry.demand.note(c.cost, now_.steady);
  expire(entry);
  if (entry.lease.in_hand() >= c.cost) {
    speak_for(entry);
    return Standing::covered;
  }
  if (!entry.demand.hot()) return stand_told(i, entry, Lease::kCadence);
  if (entry.lease.resting(now_.steady)) {
    auto outcome = denied_then(entry.told, entry.numbers, c.cost, c.max_delay, now_.steady);
    if (!outcome) return Standing::unknown;
    outcome->wait = std::max(outcome->wait, entry.lease.rests_until() - now_.steady);
    outcomes_.make(i) = *outcome;
    speak_for(entry);
    rested_ = true;
    return Standing::denied;
  }
  const std::uint64_t target = target_of(entry, c.cost, now_.steady);
  const bool can_wait = target >= c.cost && (entry.lease.asking() ||
                                             entry.lease.wants(target, c.cost, now_.steady) > 0);
  return can_wait ? Standing::awaits : Standing::unknown;
}

void Turn::speak_for(const Entry& entry) {
  if (!spoken_) at_ = entry.told.store_now(now_.steady);
  spoken_ = true;
}

void Turn::expire(Entry& entry) {
  const std::uint64_t over = entry.lease.expire(now_.steady);
  if (over == 0) return;
  Unspent& u = unspent_.make(unspent_count_++);
  u.numbers = entry.numbers;
  u.charge.slot = entry.slot;
  u.charge.tag = entry.tag;
  u.charge.key = entry.key;
  u.charge.cost = over;
}

Turn::Deed Turn::deny() {
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (standing_[i] != Standing::covered) continue;
    outcomes_.make(i) = lease_outcome(*entries_[i], charges_[i].cost, now_.steady);
  }
  Counters::add(rested_ ? guard_.counters_.rested : guard_.counters_.denied_again);
  return Deed::deny;
}

// Asks for what is missing and joins those who wait for the first of it.
Turn::Deed Turn::wait(Call*& call) {
  Entry* first = nullptr;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    if (standing_[i] != Standing::awaits) continue;
    Entry& e = *entries_[i];
    if (!e.lease.asking() && !ask(e, charges_[i])) return take(call);
    if (first == nullptr) first = &e;
  }
  if (call == nullptr) call = guard_.new_call(charges_, asker_);
  if (first == nullptr || call == nullptr) return Deed::refuse;
  call->next = nullptr;
  (first->last_waiting == nullptr ? first->first_waiting : first->last_waiting->next) = call;
  first->last_waiting = call;
  return Deed::wait;
}

Turn::Deed Turn::take(Call*& call) {
  const bool all = std::all_of(standing_.begin(), standing_.begin() + charges_.size(),
                               [](Standing s) { return s == Standing::covered; });
  if (!all) return send(call);
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    Entry& e = *entries_[i];
    e.lease.spend(*e.lease.reserve(charges_[i].cost));
    outcomes_.make(i) = lease_outcome(e, charges_[i].cost, now_.steady);
    ask_early(e, charges_[i]);
  }
  Counters::add(guard_.counters_.prefetched);
  return Deed::admit;
}

Turn::Deed Turn::send(Call*& call) {
  if (now_.steady - asker_.given.steady >= guard_.options_.timeout) return Deed::refuse;
  if (call == nullptr) call = guard_.new_call(charges_, asker_);
  if (call == nullptr) return Deed::refuse;
  call->directs = 0;
  call->asked = now_.steady;
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    call->holder[i] = nullptr;
    if (standing_[i] == Standing::covered) {
      call->holder[i] = entries_[i];
      call->held[i] = *entries_[i]->lease.reserve(charges_[i].cost);
      ask_early(*entries_[i], charges_[i]);
    } else {
      call->place[call->directs] = static_cast<std::uint8_t>(i);
      call->direct[call->directs++] = charges_[i];
      // For those who come next.
      if (standing_[i] == Standing::awaits) ask(*entries_[i], charges_[i]);
    }
  }
  return Deed::send;
}

// Before the last of it is used, so that nobody waits.
void Turn::ask_early(Entry& entry, const store::Charge& charge) {
  if (entry.demand.hot() && entry.lease.in_hand() >= charge.cost) ask(entry, charge);
}

bool Turn::ask(Entry& entry, const store::Charge& charge) {
  const std::uint64_t target = target_of(entry, charge.cost, now_.steady);
  const std::uint64_t tokens = entry.lease.wants(target, charge.cost, now_.steady);
  if (tokens == 0) return false;
  Ask* a = guard_.asks_.take();
  if (a == nullptr) return false;
  a->guard = &guard_;
  a->entry = &entry;
  a->asked = now_.steady;
  a->prepare(charge, entry.numbers, tokens);
  entry.lease.asked(now_.steady);
  Counters::add(guard_.counters_.asked);
  asks_[asks_count_++] = a;
  return true;
}

void Turn::carry_out() {
  for (std::size_t i = 0; i < unspent_count_; ++i) guard_.give_back(unspent_[i], now_);
  for (std::size_t i = 0; i < asks_count_; ++i) {
    Ask& a = *asks_[i];
    guard_.beneath_->charge({a.requests.data(), a.count}, now_, a);
  }
}

}  // namespace weir::guard
