#include "store/memory/transaction.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "algo/step.h"
#include "base/lazy_array.h"

namespace weir::store::memory {
namespace {

bool keeps_log(const Charge& charge) { return charge.numbers->algorithm == Algorithm::sliding_log; }

class Transaction {
 public:
  // At most kMaxCharges charges.
  Transaction(Table& table, const Request& request, Now now);
  Transaction(const Transaction&) = delete;

  // True if every enforced charge had room; then, unless it was a peek, all are charged.
  bool run();
  void finish();

  Now now() const { return now_; }
  std::span<const Outcome> outcomes() const { return {outcomes_.data(), charges_.size()}; }

 private:
  // One counter that the request touches, by one charge or by several.
  struct Group {
    Counter* counter = nullptr;  // null: no place for it, and none in the overflow
    Entry* reserved = nullptr;   // to be linked on commit, or given back
    bool overflow = false;
    bool charged = false;
    std::uint64_t cost = 0;  // of the charges checked so far and admitted
    algo::Change change;     // what they make of the counter; nothing before the first
  };

  void resolve(std::size_t i);
  void resolve_in_overflow(std::size_t i);
  bool check(std::size_t i);
  void check_after_others(std::size_t i);
  bool refuse_for_want_of_place(std::size_t i);
  void commit(std::size_t i);
  void settle_groups();
  void show_as_found();
  Outcome view(std::size_t i, std::uint64_t cost) const;
  void clamp_denied(Group& g);
  // Whether an earlier charge of the request has the counter of charge i, which then shares it.
  bool joins_another(std::size_t i);
  const Charge& charge(std::size_t i) const { return charges_[i]; }
  Group& group(std::size_t i) { return groups_[group_of_[i]]; }
  const Group& group(std::size_t i) const { return groups_[group_of_[i]]; }
  Shard& shard(std::size_t i) { return table_.shards[table_.shard_of(charge(i).key)]; }

  Table& table_;
  const std::span<const Charge> charges_;
  const bool peek_;
  bool reserved_ = false;  // some group has a reserved entry
  ShardLocks locks_;
  std::unique_lock<Lock> overflow_lock_;
  const Now now_;
  std::array<std::uint8_t, kMaxCharges> group_of_;
  base::LazyArray<Group, kMaxCharges> groups_;
  base::LazyArray<Outcome, kMaxCharges> outcomes_;
};

inline Transaction::Transaction(Table& table, const Request& request, Now now)
    : table_(table),
      charges_(request.charges),
      peek_(request.peek),
      locks_(table, request.charges),
      now_(table.clamp(now)) {
  assert(charges_.size() <= kMaxCharges);
}

inline void Transaction::resolve(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = groups_.make(i);
  group_of_[i] = static_cast<std::uint8_t>(i);
  if (joins_another(i)) return;
  if (Entry* found = shard(i).find(c.slot, c.numbers->algorithm, c.key, now_.steady)) {
    g.counter = &found->counter;
  } else if (Entry* taken = shard(i).take(now_.steady)) {
    g.counter = &taken->counter;
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
    }
    return true;
  }
  return false;
}

void Transaction::resolve_in_overflow(std::size_t i) {
  const Charge& c = charge(i);
  if (!peek_ && c.cost > 0) table_.full.fetch_add(1, std::memory_order_relaxed);
  if (table_.on_full == OnFull::deny) return;
  if (!overflow_lock_.owns_lock()) overflow_lock_ = std::unique_lock(table_.overflow->mutex);
  Counter* counter = table_.overflow->find(c.slot, *c.numbers, now_.steady);
  if (counter == nullptr) return;
  for (std::size_t j = 0; j < i; ++j) {
    if (group(j).counter != counter) continue;
    group_of_[i] = group_of_[j];
    return;
  }
  Group& g = groups_[i];
  g.counter = counter;
  g.overflow = true;
}

inline bool Transaction::check(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = group(i);
  Outcome& outcome = outcomes_[i];
  if (g.counter == nullptr) return !refuse_for_want_of_place(i);
  if (keeps_log(c)) {
    outcome = view(i, detail::saturating_add(g.cost, c.cost));
  } else if (g.cost != 0) {
    check_after_others(i);
  } else {
    algo::charge(*c.numbers, g.counter->state, c.cost, now_, c.max_delay, outcome, g.change);
    if (!outcome.admit) clamp_denied(g);
  }
  if (g.overflow) outcome.overflow = true;
  if (outcome.admit) g.cost = detail::saturating_add(g.cost, c.cost);
  return outcome.admit;
}

// Against what the charges before it on this counter leave.
void Transaction::check_after_others(std::size_t i) {
  const Charge& c = charge(i);
  Group& g = group(i);
  const algo::Step step = algo::charge(*c.numbers, g.change.next, c.cost, now_, c.max_delay);
  outcomes_[i] = step.outcome;
  if (step.outcome.admit) g.change = step;
}

// A denial that found the state beyond what these numbers can owe brings it back within them, or
// the wait it announces would never end. Nothing that was admitted is forgotten by it.
void Transaction::clamp_denied(Group& g) {
  if (peek_ || g.reserved != nullptr || g.change.next == g.counter->state) return;
  g.counter->state = g.change.next;
  g.counter->expires_ns = g.change.full_at.ns;
}

bool Transaction::refuse_for_want_of_place(std::size_t i) {
  const Charge& c = charge(i);
  Outcome& outcome = outcomes_[i];
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
  if (g.overflow) outcomes_[i].overflow = true;
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

inline bool Transaction::run() {
  const std::size_t n = charges_.size();
  bool shadows = false;
  for (std::size_t i = 0; i < n; ++i) {
    resolve(i);
    shadows = shadows || charge(i).shadow;
  }
  // Shadow charges come last, so that none of them takes an enforced one's room.
  const int passes = shadows ? 2 : 1;
  bool admit = true;
  for (int pass = 0; pass < passes; ++pass) {
    const bool shadow = pass == 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (charge(i).shadow == shadow && !check(i) && !shadow) admit = false;
    }
  }
  if (!admit || peek_) {
    show_as_found();
  } else {
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < n; ++i) {
        if (charge(i).shadow == (pass == 1)) commit(i);
      }
    }
  }
  if (reserved_) settle_groups();
  return admit;
}

inline void Transaction::finish() {
  if (overflow_lock_.owns_lock()) overflow_lock_.unlock();
  locks_.unlock();
}

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

void charge(Table& table, std::span<const Request> requests, Now now, Sink& sink) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].charges.size() > kMaxCharges) {
      sink.decided({.request = i, .admit = false, .failed = true, .now = now, .outcomes = {}});
      continue;
    }
    Transaction transaction(table, requests[i], now);
    const bool admit = transaction.run();
    transaction.finish();
    sink.decided({.request = i,
                  .admit = admit,
                  .failed = false,
                  .now = transaction.now(),
                  .outcomes = transaction.outcomes()});
  }
}

}  // namespace weir::store::memory
