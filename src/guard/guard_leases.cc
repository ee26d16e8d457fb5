// The tokens of a guard: questions for them, what comes of the answers, and what goes back.
#include <algorithm>
#include <chrono>
#include <vector>

#include "guard/guard_store.h"

namespace weir::guard {
namespace {

// The longest that unspent tokens lie here after their end.
constexpr std::chrono::milliseconds kSweep(10);

// The end of the window in which tokens were charged, on this machine's clock, or earlier.
Instant window_end(const Ask& ask) {
  switch (ask.numbers.algorithm) {
    case Algorithm::fixed_window:
      return ask.asked + ask.left.reset;
    case Algorithm::sliding_window:
    case Algorithm::sliding_log:
      return ask.asked + Duration{ask.numbers.period_ns};
    default:
      return {~std::uint64_t{0}};
  }
}

}  // namespace

void Ask::prepare(const store::Charge& charge, const algo::Numbers& of, std::uint64_t tokens) {
  numbers = of;
  wanted = tokens;
  got = 0;
  count = answered = 0;
  failed = peeked = false;
  left = Outcome{};
  for (std::uint64_t rest = tokens; rest > 0; ++count) {
    parts[count] = charge;
    parts[count].numbers = &numbers;
    parts[count].cost = rest - rest / 2;
    rest /= 2;
  }
  parts[count] = charge;
  parts[count].numbers = &numbers;
  ++count;
  for (std::size_t i = 0; i < count; ++i) requests[i] = {{&parts[i], 1}, i + 1 == count};
}

void Ask::decided(const store::Verdict& verdict) { guard->answered(*this, verdict); }

void GuardStore::answered(Ask& ask, const store::Verdict& verdict) {
  bool last = false;
  {
    const Table::Locks locks(table_, {ask.parts.data(), 1});
    const bool peek = verdict.request + 1 == ask.count;
    if (verdict.failed) {
      ask.failed = true;
    } else {
      if (!peek && verdict.admit) ask.got += ask.parts[verdict.request].cost;
      if (peek || !ask.peeked) {
        ask.left = verdict.outcomes[0];
        ask.at = verdict.now;
      }
      ask.peeked = ask.peeked || peek;
    }
    last = ++ask.answered == ask.count;
  }
  if (last) finish(ask);
}

void GuardStore::finish(Ask& ask) {
  const Now now = clock_.now();
  trip_ns_.store((now.steady - ask.asked).ns, std::memory_order_relaxed);
  const bool failed = ask.failed && ask.got == 0;
  Call* waiting = nullptr;
  {
    const Table::Locks locks(table_, {ask.parts.data(), 1});
    Entry& e = *ask.entry;
    if (failed) {
      e.lease.unanswered();
    } else {
      e.lease.got(ask.wanted, ask.got, window_end(ask), now.steady);
      const bool believed = ask.peeked && ask.asked > table_.shard_of(e.key).believes_after;
      const store::Charge& peek = ask.parts[ask.count - 1];
      e.told.hear(
          {ask.left, believed ? peek.cost : 0, peek.max_delay, ask.at, ask.asked, now.steady},
          false, e.numbers);
      now_live(e);
    }
    waiting = e.first_waiting;
    e.first_waiting = e.last_waiting = nullptr;
  }
  Counters::add(counters_.taken, ask.got);
  asks_.put_back(&ask);
  while (waiting != nullptr) {
    Call* call = waiting;
    waiting = call->next;
    ++call->asker.waits;
    if (failed || ended_) {
      fail(call->asker);
      calls_.put_back(call);
    } else {
      decide({call->charges.data(), call->count}, call->asker, now, call);
    }
  }
}

void GuardStore::give_back(const Unspent& unspent, Now now) {
  store::Charge charge = unspent.charge;
  charge.numbers = &unspent.numbers;
  Counters::add(counters_.returned, charge.cost);
  Counters::add(counters_.returns);
  beneath_->refund({&charge, 1}, now);
}

// Under its shard's lock: tokens in hand end some time, and the sweeper sees to it.
void GuardStore::now_live(Entry& entry) {
  if (entry.live || entry.lease.in_hand() == 0) return;
  entry.live = true;
  table_.shard_of(entry.key).live.push_back(&entry);
  if (counters_.leases.fetch_add(1, std::memory_order_relaxed) > 0) return;
  { const std::lock_guard lock(sweeper_mutex_); }  // it looks, or it waits
  sweeper_woken_.notify_one();
}

void GuardStore::sweep(Now now, bool all) {
  std::vector<Unspent> over;
  for (Table::Shard& shard : table_.shards()) {
    const std::lock_guard lock(shard.mutex);
    const auto ended = [&](Entry* e) {
      const std::uint64_t tokens =
          all ? e->lease.surrender(now.steady) : e->lease.expire(now.steady);
      if (tokens > 0) {
        over.push_back({{}, e->numbers});
        over.back().charge.slot = e->slot;
        over.back().charge.tag = e->tag;
        over.back().charge.key = e->key;
        over.back().charge.cost = tokens;
      }
      if (e->lease.in_hand() > 0) return false;
      e->live = false;
      counters_.leases.fetch_sub(1, std::memory_order_relaxed);
      return true;
    };
    shard.live.erase(std::remove_if(shard.live.begin(), shard.live.end(), ended), shard.live.end());
  }
  for (const Unspent& u : over) give_back(u, now);
}

void GuardStore::run() {
  std::unique_lock lock(sweeper_mutex_);
  const auto some = [this] { return ended_ || counters_.leases.load() > 0; };
  for (;;) {
    sweeper_woken_.wait(lock, some);
    sweeper_woken_.wait_for(lock, kSweep, [this] { return ended_.load(); });
    if (ended_) return;
    lock.unlock();
    sweep(clock_.now());
    lock.lock();
  }
}

}  // namespace weir::guard
