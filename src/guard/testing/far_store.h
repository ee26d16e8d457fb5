// A store on another machine, in simulated time: what is asked arrives after a while, is decided by
// the server's own clock, and the answer takes as long to come back.
//
//   Network network;
//   Server server;                         // one, for all
//   FarStore store(network, server);       // one for each process
//   store.charge(...);  network.run_until(t);
//
// For tests and benchmarks. Not thread-safe: all happens in `run_until`, in the order of time.
#pragma once

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "store/memory/memory_store.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::guard::testing {

class Network {
 public:
  explicit Network(Instant start = Instant{} + days(1)) : clock_({}, start) {}

  Clock& clock() { return clock_; }
  Instant now() { return clock_.now().steady; }
  void at(Instant when, std::function<void()> what) {
    events_.push({when, next_++, std::move(what)});
  }
  void run_until(Instant end) {
    while (!events_.empty() && events_.top().when <= end) {
      const Event event = events_.top();
      events_.pop();
      advance(event.when);
      event.what();
    }
    advance(end);
  }

 private:
  struct Event {
    Instant when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return when != other.when ? when > other.when : order > other.order;
    }
  };
  void advance(Instant to) { clock_.advance(to - now()); }

  ManualClock clock_;
  std::uint64_t next_ = 0;
  std::priority_queue<Event> events_;
};

// The counters, and a clock that has nothing to do with anybody's.
struct Server {
  Server() {
    auto opened = store::MemoryStore::open({.secret = base::HashSecret{1, 2}});
    assert(opened);
    memory = std::move(*opened);
  }
  std::unique_ptr<store::MemoryStore> memory;
  Duration ahead = days(20'000);
};

class FarStore final : public store::Store {
 public:
  FarStore(Network& network, Server& server, Duration way = microseconds(250))
      : network_(network), server_(server), way_(way) {}

  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    ++calls;
    auto asked = std::make_shared<std::vector<Asked>>();
    for (const store::Request& r : requests) {
      asked->push_back({{r.charges.begin(), r.charges.end()}, r.peek, {}, {}});
    }
    if (failing) return fail(asked, now, sink);
    network_.at(now.steady + way_, [this, asked, &sink] { decide(asked, sink); });
  }
  void refund(std::span<const store::Charge> charges, Now now) override {
    ++calls;
    ++refunds;
    std::vector<store::Charge> kept(charges.begin(), charges.end());
    std::vector<algo::Numbers> numbers;
    for (const store::Charge& c : charges) numbers.push_back(*c.numbers);
    if (failing) return;
    // Who sent it may be gone when it arrives.
    network_.at(now.steady + way_, [&net = network_, &server = server_, kept, numbers]() mutable {
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i].numbers = &numbers[i];
      server.memory->refund(kept, {net.now() + server.ahead, 0});
    });
  }
  store::Inspection inspect(const store::Charge& charge, Now) override {
    return server_.memory->inspect(charge, server_now());
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return server_.memory->reset(slot, key);
  }
  store::Stats stats() const override { return server_.memory->stats(); }
  const base::HashSecret& secret() const override { return server_.memory->secret(); }

  Now server_now() { return {network_.now() + server_.ahead, 0}; }

  std::uint64_t calls = 0;    // commands, refunds included
  std::uint64_t refunds = 0;  // of these
  bool failing = false;

 private:
  struct Asked {
    std::vector<store::Charge> charges;
    bool peek;
    store::Verdict verdict;
    std::vector<Outcome> outcomes;
  };
  using Batch = std::shared_ptr<std::vector<Asked>>;

  // Keeps what the memory store says at once.
  class Keep final : public store::Sink {
   public:
    explicit Keep(std::vector<Asked>& asked) : asked_(asked) {}
    void decided(const store::Verdict& v) override {
      asked_[v.request].verdict = v;
      asked_[v.request].outcomes.assign(v.outcomes.begin(), v.outcomes.end());
    }

   private:
    std::vector<Asked>& asked_;
  };

  void decide(const Batch& asked, store::Sink& sink) {
    std::vector<store::Request> requests;
    for (const Asked& a : *asked) requests.push_back({a.charges, a.peek});
    Keep keep(*asked);
    server_.memory->charge(requests, server_now(), keep);
    network_.at(network_.now() + way_, [asked, &sink] {
      for (Asked& a : *asked) {
        a.verdict.outcomes = a.outcomes;
        sink.decided(a.verdict);
      }
    });
  }
  void fail(const Batch& asked, Now now, store::Sink& sink) {
    network_.at(now.steady + way_, [asked, now, &sink] {
      for (std::size_t i = 0; i < asked->size(); ++i) sink.decided({i, false, true, now, {}});
    });
  }

  Network& network_;
  Server& server_;
  Duration way_;
};

}  // namespace weir::guard::testing
