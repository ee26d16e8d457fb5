#include "guard/guard_store.h"

#include <algorithm>

#include "guard/turn.h"

namespace weir::guard {
namespace {

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
  const Duration taken = now.steady - call.asker.given.steady;
  const store::Request request{{call.direct.data(), call.directs}, call.peek, taken};
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
  if (!call.plain) {
    trip_ns_.store((clock_.now().steady - call.asked).ns, std::memory_order_relaxed);
  }
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

}  // namespace weir::guard
