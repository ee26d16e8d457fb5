#include "guard/guard_store.h"

#include <algorithm>

#include "guard/turn.h"

namespace weir::guard {
namespace {

// The longest that unspent tokens lie here after their end.
constexpr std::chrono::milliseconds kSweep(10);

bool charges_one_twice(std::span<const store::Charge> charges) {
  for (std::size_t i = 1; i < charges.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (charges[i].key == charges[j].key) return true;
    }
  }
  return false;
}

bool goes_as_it_is(const store::Request& request) {
  const auto free = [](const store::Charge& c) { return c.cost == 0; };
  return request.peek || request.charges.empty() || charges_one_twice(request.charges) ||
         std::any_of(request.charges.begin(), request.charges.end(), free);
}

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

GuardStore::GuardStore(std::unique_ptr<store::Store> beneath, const GuardOptions& options)
    : options_(options),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      table_(options.counters),
      calls_(options.most_calls),
      asks_(options.counters),
      beneath_(std::move(beneath)) {
  if (options.sweeps) sweeper_ = std::thread([this] { run(); });
}

GuardStore::~GuardStore() {
  {
    const std::lock_guard lock(sweeper_mutex_);
    ended_ = true;
  }
  sweeper_woken_.notify_all();
  if (sweeper_.joinable()) sweeper_.join();
  sweep(clock_.now(), true);
  // Now the store ends, and its thread may still ask it something: it is told of its failure. Once
  // it knows of the end, it asks no more.
}

void GuardStore::charge(std::span<const store::Request> requests, Now now, store::Sink& sink) {
  const auto peeks = [](const store::Request& r) { return r.peek; };
  if (std::all_of(requests.begin(), requests.end(), peeks)) {
    return beneath_->charge(requests, now, sink);
  }
  const Now here = clock_.now();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Asker asker{&sink, i, here, 0};
    if (requests[i].charges.size() > store::kMaxCharges) {
      fail(asker);
    } else if (goes_as_it_is(requests[i])) {
      pass(requests[i], asker);
    } else {
      decide(requests[i].charges, asker, here, nullptr);
    }
  }
}

void GuardStore::pass(const store::Request& request, const Asker& asker) {
  Call* call = new_call(request.charges, asker);
  if (call == nullptr) return fail(asker);
  call->peek = request.peek;
  call->plain = true;
  call->directs = call->count;
  for (std::size_t i = 0; i < call->count; ++i) {
    call->direct[i] = call->charges[i];
    call->place[i] = static_cast<std::uint8_t>(i);
    call->holder[i] = nullptr;
  }
  send(*call, asker.given);
}

void GuardStore::decide(std::span<const store::Charge> charges, const Asker& asker, Now now,
                        Call* call) {
  Turn turn(*this, charges, asker, now);
  const Turn::Deed deed = turn.look(call);
  turn.carry_out();
  switch (deed) {
    case Turn::Deed::wait:
      return;
    case Turn::Deed::send:
      return send(*call, now);
    case Turn::Deed::refuse:
      fail(asker);
      break;
    case Turn::Deed::admit:
    case Turn::Deed::deny:
      asker.sink->decided(turn.verdict(deed == Turn::Deed::admit));
      break;
  }
  if (call != nullptr) calls_.put_back(call);
}

Call* GuardStore::new_call(std::span<const store::Charge> charges, const Asker& asker) {
  Call* call = calls_.take();
  if (call == nullptr) return nullptr;
  call->guard = this;
  call->asker = asker;
  call->count = charges.size();
  call->peek = call->plain = false;
  std::copy(charges.begin(), charges.end(), call->charges.begin());
  return call;
}

void GuardStore::send(Call& call, Now now) {
  const store::Request request{{call.direct.data(), call.directs}, call.peek};
  beneath_->charge({&request, 1}, now, call);
}

void GuardStore::fail(const Asker& asker) {
  asker.sink->decided({.request = asker.request,
                       .admit = false,
                       .failed = true,
                       .now = asker.given,
                       .outcomes = {}});
}

void Call::decided(const store::Verdict& verdict) { guard->answered(*this, verdict); }

void GuardStore::answered(Call& call, const store::Verdict& verdict) {
  const bool holds = call.directs < call.count;
  base::LazyArray<Outcome, store::kMaxCharges> outcomes;
  if (!call.peek && (holds || !verdict.failed)) {
    const Instant now = clock_.now().steady;
    const Table::Locks locks(table_, {call.charges.data(), call.count});
    if (!verdict.failed) note(call, verdict, now);
    for (std::size_t i = 0; holds && i < call.count; ++i) {
      if (call.holder[i] == nullptr) continue;
      Entry& e = *call.holder[i];
      if (verdict.admit && !verdict.failed) {
        e.lease.spend(call.held[i]);
      } else {
        e.lease.give_back(call.held[i]);
        now_live(e);
      }
      outcomes.make(i) = lease_outcome(e, call.charges[i].cost, now);
    }
  }
  store::Verdict whole = verdict;
  whole.request = call.asker.request;
  if (holds && !verdict.failed) {
    whole.unasked = 0;
    for (std::size_t i = 0; i < call.directs; ++i) {
      outcomes.make(call.place[i]) = verdict.outcomes[i];
      whole.unasked |= (verdict.unasked >> i & 1) << call.place[i];
    }
    whole.outcomes = {outcomes.data(), call.count};
  }
  call.asker.sink->decided(whole);
  calls_.put_back(&call);
}

// What the store found where it has denied. Where it has admitted, what was said before is no more
// true, under whatever numbers.
void GuardStore::note(const Call& call, const store::Verdict& verdict, Instant now) {
  for (std::size_t i = 0; i < call.directs; ++i) {
    if ((verdict.unasked >> i & 1) != 0) continue;
    const store::Charge& c = call.direct[i];
    const bool believed = !call.plain && call.asked > table_.shard_of(c.key).believes_after;
    const Told told{verdict.outcomes[i], c.cost, c.max_delay, verdict.now, call.asked, now};
    if (!verdict.admit) {
      if (!believed) continue;
      if (Entry* e = table_.find_or_make(c, now)) e->told.hear(told, false, e->numbers);
      continue;
    }
    for (Entry& e : table_.places_of(c.key)) {
      if (e.empty() || e.key != c.key) continue;
      if (believed && e.is(c)) {
        e.told.hear(told, true, e.numbers);
      } else {
        e.told.cost = 0;
      }
    }
  }
}

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
  const bool failed = ask.failed && ask.got == 0;
  Call* waiting = nullptr;
  {
    const Table::Locks locks(table_, {ask.parts.data(), 1});
    Entry& e = *ask.entry;
    if (failed) {
      e.lease.unanswered();
    } else {
      e.lease.got(ask.wanted, ask.got, window_end(ask));
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

void GuardStore::refund(std::span<const store::Charge> charges, Now now) {
  beneath_->refund(charges, now);
  for (const store::Charge& c : charges) forget(c.key, false);
}

bool GuardStore::reset(store::Slot slot, const base::Digest& key) {
  const bool found = beneath_->reset(slot, key);
  forget(key, true);
  return found;
}

bool GuardStore::reset(const store::Charge& charge) {
  const bool found = beneath_->reset(charge);
  forget(charge.key, true);
  return found;
}

// Nothing is believed of what was asked before, or while a refund may be on its way.
void GuardStore::forget(const base::Digest& key, bool and_tokens) {
  const Instant now = clock_.now().steady;
  Table::Shard& shard = table_.shard_of(key);
  const std::lock_guard lock(shard.mutex);
  shard.believes_after = now + options_.timeout;
  for (Entry& e : table_.places_of(key)) {
    if (e.empty() || e.key != key) continue;
    e.told.cost = 0;
    e.lease.rest_no_more();
    if (and_tokens) e.lease.drop();
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
