#include "store/memory/transaction.h"

#include <bit>
#include <cassert>

namespace weir::store::memory {
namespace {

bool keeps_log(const Charge& charge) { return charge.numbers->algorithm == Algorithm::sliding_log; }

}  // namespace

Outcome peek(const Counter* counter, const Charge& charge, std::uint64_t cost, Now now) {
  if (keeps_log(charge)) {
    if (counter != nullptr && counter->log != nullptr) {
      return counter->log->peek(*charge.numbers, cost, now);
    }
    algo::Log empty;
    return empty.peek(*charge.numbers, cost, now);
  }
  const algo::State state = counter != nullptr ? counter->state : algo::State{};
  return algo::peek(*charge.numbers, state, cost, now, charge.max_delay);
}

Now Table::clamp(Now now) {
  // Relaxed: callers hold the locks of the counters they read, and those order the counters.
  std::uint64_t latest = latest_ns.load(std::memory_order_relaxed);
  while (now.steady.ns > latest) {
    if (latest_ns.compare_exchange_weak(latest, now.steady.ns, std::memory_order_relaxed)) {
      return now;
    }
  }
  now.steady.ns = latest;
  return now;
}

ShardLocks::ShardLocks(Table& table, std::span<const Charge> charges) : table_(table) {
  if (charges.size() == 1) {
    const std::size_t shard = table.shard_of(charges[0].key);
    held_ = std::uint64_t{1} << shard;
    table.shards[shard].mutex.lock();
    return;
  }
  for (const Charge& c : charges) {
    const std::size_t shard = table.shard_of(c.key);
    held_ |= std::uint64_t{1} << shard;
    table.shards[shard].prefetch_index(c.key);
  }
  for (std::uint64_t rest = held_; rest != 0; rest &= rest - 1) {
    table_.shards[static_cast<std::size_t>(std::countr_zero(rest))].mutex.lock();
  }
  for (const Charge& c : charges) table.shards[table.shard_of(c.key)].prefetch_entry(c.key);
}

void ShardLocks::unlock() {
  for (; held_ != 0; held_ &= held_ - 1) {
    table_.shards[static_cast<std::size_t>(std::countr_zero(held_))].mutex.unlock();
  }
}

Transaction::Transaction(Table& table, const Request& request, Now now)
    : table_(table),
      charges_(request.charges),
      peek_(request.peek),
      locks_(table, request.charges),
      overflow_lock_(table.overflow->mutex, std::defer_lock),
      now_(table.clamp(now)) {
  assert(charges_.size() <= kMaxCharges);
}

bool Transaction::run() {
  const std::size_t n = charges_.size();
  bool shadows = false;
  for (std::size_t i = 0; i < n; ++i) {
    resolve(i);
    shadows = shadows || charge(i).shadow;
  }
  bool admit = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!charge(i).shadow && !check(i)) admit = false;
  }
  for (std::size_t i = 0; shadows && i < n; ++i) {
    if (charge(i).shadow) check(i);
  }
  if (!admit || peek_) {
    show_as_found();
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      if (!charge(i).shadow) commit(i);
    }
    for (std::size_t i = 0; shadows && i < n; ++i) {
      if (charge(i).shadow) commit(i);
    }
  }
  if (reserved_) settle_groups();
  return admit;
}

void Transaction::finish() {
  if (overflow_lock_.owns_lock()) overflow_lock_.unlock();
  locks_.unlock();
}

inline void Transaction::resolve(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = groups_.make(i);
  group_of_[i] = static_cast<std::uint8_t>(i);
  if (joins_another(i)) return;
  if (Entry* found = shard(i).find(c.slot, c.numbers->algorithm, c.key, now_.steady)) {
    g.counter = &found->counter;
    g.state = &found->counter.state;
  } else if (Entry* taken = shard(i).take(now_.steady)) {
    g.counter = &taken->counter;
    g.state = &taken->counter.state;
    g.reserved = taken;
    reserved_ = true;
  } else {
    resolve_in_overflow(i);
  }
}

inline bool Transaction::joins_another(std::size_t i) {
  const Charge& c = charge(i);
  for (std::size_t j = 0; j < i; ++j) {
    const Charge& before = charge(j);
    if (before.key != c.key || before.slot != c.slot ||
        before.numbers->algorithm != c.numbers->algorithm) {
      continue;
    }
    if (group(j).overflow || group(j).counter == nullptr) {
      resolve_in_overflow(i);
    } else {
      group_of_[i] = group_of_[j];
      joined_ = true;
    }
    return true;
  }
  return false;
}

void Transaction::resolve_in_overflow(std::size_t i) {
  const Charge& c = charge(i);
  if (!peek_ && c.cost > 0) table_.full.fetch_add(1, std::memory_order_relaxed);
  if (table_.on_full == OnFull::deny) return;
  if (!overflow_lock_.owns_lock()) overflow_lock_.lock();
  Counter* counter = table_.overflow->find(c.slot, *c.numbers, now_.steady);
  if (counter == nullptr) return;
  for (std::size_t j = 0; j < i; ++j) {
    if (group(j).counter != counter) continue;
    group_of_[i] = group_of_[j];
    joined_ = true;
    return;
  }
  Group& g = groups_[i];
  g.counter = counter;
  g.overflow = true;
  g.state = &counter->state;
}

inline bool Transaction::check(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = group(i);
  if (g.counter == nullptr) return !refuse_for_want_of_place(i);
  if (keeps_log(c)) {
    outcomes_.make(i) = view(i, detail::saturating_add(g.cost, c.cost));
  } else {
    algo::Change another;
    algo::Change& change = g.cost == 0 ? g.change : another;
    algo::charge(*c.numbers, *g.state, c.cost, now_, c.max_delay, outcomes_.make(i), change);
    if (!outcomes_[i].admit) {
      if (g.cost == 0 && change.next != *g.state) clamp_denied(g);
    } else if (joined_) {
      g.change = change;
      g.between = change.next;
      g.state = &g.between;
    }
  }
  outcomes_[i].overflow = g.overflow;
  if (outcomes_[i].admit) g.cost = detail::saturating_add(g.cost, c.cost);
  return outcomes_[i].admit;
}

// A denial that found the state beyond what these numbers can owe brings it back within them, or
// the wait it announces would never end. Nothing that was admitted is forgotten by it.
void Transaction::clamp_denied(Group& g) {
  if (peek_ || g.reserved != nullptr) return;
  g.counter->state = g.change.next;
  g.counter->expires_ns = g.change.full_at.ns;
}

bool Transaction::refuse_for_want_of_place(std::size_t i) {
  const Charge& c = charge(i);
  Outcome& outcome = outcomes_.make(i);
  outcome = view(i, c.cost);
  if (!outcome.admit || c.cost == 0) return !outcome.admit;
  outcome.admit = false;
  outcome.reason = Reason::table_full;
  outcome.remaining = 0;
  outcome.wait = kFullRetryHint;
  outcome.reset = kFullRetryHint;
  return true;
}

// The request is admitted: charges what had room. Outcomes show the counters after it.
inline void Transaction::commit(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = group(i);
  if (g.counter == nullptr) return;
  Counter& counter = *g.counter;
  if (!outcomes_[i].admit || c.cost == 0) {
    if (keeps_log(c)) outcomes_[i] = view(i, c.cost);
  } else if (keeps_log(c)) {
    if (counter.log == nullptr) counter.log = new algo::Log;
    outcomes_[i] = counter.log->charge(*c.numbers, c.cost, now_);
    assert(outcomes_[i].admit);
    counter.expires_ns = counter.log->full_at(*c.numbers).ns;
    g.charged = true;
  } else {
    counter.state = g.change.next;
    counter.expires_ns = g.change.full_at.ns;
    g.charged = true;
  }
  outcomes_[i].overflow = g.overflow;
}

// Reserved entries are linked, or free again.
void Transaction::settle_groups() {
  for (std::size_t i = 0; i < charges_.size(); ++i) {
    Group& g = groups_[i];
    if (g.reserved == nullptr) continue;
    const Charge& c = charge(i);
    if (g.charged && g.counter->live(now_.steady)) {
      shard(i).link(g.reserved, c.slot, c.numbers->algorithm, c.key, now_.steady);
    } else {
      shard(i).give_back(g.reserved);
    }
  }
}

// Nothing was charged: every outcome shows the counters as they were, and the verdict on the whole
// of what the request wanted from each.
void Transaction::show_as_found() {
  std::array<std::uint64_t, kMaxCharges> wanted{};
  for (const bool shadow : {false, true}) {
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      const Charge& c = charge(i);
      if (c.shadow != shadow || group(i).counter == nullptr) continue;
      std::uint64_t& sum = wanted[group_of_[i]];
      const bool had_room = outcomes_[i].admit;
      if (sum == 0 && !had_room) continue;  // its denial says just that
      const std::uint64_t with = detail::saturating_add(sum, c.cost);
      outcomes_[i] = view(i, with);
      outcomes_[i].overflow = group(i).overflow;
      if (had_room) sum = with;
    }
  }
}

Outcome Transaction::view(std::size_t i, std::uint64_t cost) const {
  return peek(group(i).counter, charge(i), cost, now_);
}

}  // namespace weir::store::memory
