// A process with a guard before a far store: what tests ask, and what they are told later.
//
//   Process process(network, server);
//   const Told& told = process.ask({process.on("k", numbers)});
//   network.run_until(...);
//   EXPECT_TRUE(told.admit);
#pragma once

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "guard/guard_store.h"
#include "guard/testing/far_store.h"

namespace weir::guard::testing {

struct Answer final : store::Sink {
  void decided(const store::Verdict& v) override {
    ++times;
    admit = v.admit;
    failed = v.failed;
    now = v.now;
    outcomes.assign(v.outcomes.begin(), v.outcomes.end());
  }
  int times = 0;
  bool admit = false;
  bool failed = false;
  Now now;
  std::vector<Outcome> outcomes;
};

class Process {
 public:
  Process(Network& network, Server& server, Duration way = microseconds(250),
          GuardOptions options = {})
      : network_(network) {
    auto far = std::make_unique<FarStore>(network, server, way);
    far_ = far.get();
    options.clock = &network.clock();
    options.sweeps = false;
    guard_ = std::make_unique<GuardStore>(std::move(far), options);
  }

  store::Charge on(std::string_view key, const algo::Numbers& numbers,
                   std::uint64_t cost = 1) const {
    store::Charge c;
    c.key = base::siphash13_128(guard_->secret(), key);
    c.numbers = &numbers;
    c.cost = cost;
    return c;
  }
  store::Charge ahead(std::string_view key, const algo::Numbers& numbers,
                      std::uint64_t cost = 1) const {
    store::Charge c = on(key, numbers, cost);
    c.prefetch = true;
    return c;
  }
  const Answer& ask(std::initializer_list<store::Charge> charges, bool peek = false) {
    answers_.emplace_back();
    const store::Request request{{charges.begin(), charges.size()}, peek};
    guard_->charge({&request, 1}, {network_.now(), 0}, answers_.back());
    return answers_.back();
  }
  // And waits for the answer.
  const Answer& told(std::initializer_list<store::Charge> charges, bool peek = false) {
    const Answer& answer = ask(charges, peek);
    while (answer.times == 0) network_.run_until(network_.now() + microseconds(10));
    return answer;
  }
  void sweep() { guard_->sweep({network_.now(), 0}); }

  GuardStore& guard() { return *guard_; }
  FarStore& far() { return *far_; }
  std::uint64_t calls() const { return far_->calls; }

 private:
  Network& network_;
  FarStore* far_;
  std::unique_ptr<GuardStore> guard_;
  std::deque<Answer> answers_;
};

}  // namespace weir::guard::testing
