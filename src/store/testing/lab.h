// A bench for tests of a Store: one call a request, outcomes kept, time moved by hand.
//
//   Lab lab(std::move(store));
//   Seen seen = lab.charge({lab.on(1, "alice", numbers)});
//   EXPECT_TRUE(seen.admit);
//   lab.at(milliseconds(1'500));
//
// `charge` and the other calls may run on any thread; time may not move meanwhile.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace weir::store::testing {

// What the sink got for one request.
struct Seen {
  bool admit = false;
  bool failed = false;
  Now now;
  std::vector<Outcome> outcomes;

  const Outcome& operator[](std::size_t i) const { return outcomes.at(i); }
};

class Recorder final : public Sink {
 public:
  void decided(const Verdict& v) override {
    seen.push_back({v.admit, v.failed, v.now, {v.outcomes.begin(), v.outcomes.end()}});
    requests.push_back(v.request);
  }
  std::vector<Seen> seen;
  std::vector<std::size_t> requests;
};

// Counts admissions without allocating: what threads use.
class Counting final : public Sink {
 public:
  void decided(const Verdict& v) override {
    admit = v.admit;
    admitted += v.admit ? 1 : 0;
  }
  bool admit = false;
  std::uint64_t admitted = 0;
};

algo::Numbers bucket(std::uint64_t count, Duration period, std::uint64_t burst);
algo::Numbers leaky(std::uint64_t count, Duration period, std::uint64_t queue);
algo::Numbers window(Algorithm algorithm, std::uint64_t limit, Duration length,
                     Align align = Align::epoch);
// `limit` in a day under any algorithm, full at the start (leaky_bucket: queue = limit - 1).
algo::Numbers a_day(Algorithm algorithm, std::uint64_t limit);

inline constexpr Algorithm kAlgorithms[] = {Algorithm::token_bucket, Algorithm::fixed_window,
                                            Algorithm::sliding_window, Algorithm::sliding_log,
                                            Algorithm::leaky_bucket};

class Lab {
 public:
  // 2026-11-30T00:00:00Z, a day after the machine started.
  static constexpr Instant kWall{1'795'996'800'000'000'000};
  static constexpr Instant kStart{86'400'000'000'000};

  explicit Lab(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Store& store() { return *store_; }
  // `since` after the start.
  void at(Duration since) { now_.steady = kStart + since; }
  void advance(Duration by) { now_.steady = now_.steady + by; }
  Now now() const { return now_; }

  base::Digest key(Slot slot, std::string_view name) const;
  Charge on(Slot slot, std::string_view name, const algo::Numbers& numbers,
            std::uint64_t cost = 1) const;
  Charge shadow(Slot slot, std::string_view name, const algo::Numbers& numbers,
                std::uint64_t cost = 1) const;

  Seen charge(std::initializer_list<Charge> charges) { return decide(charges, false, now_); }
  Seen peek(std::initializer_list<Charge> charges) { return decide(charges, true, now_); }
  Seen decide(std::span<const Charge> charges, bool peek, Now now);
  Seen decide(std::initializer_list<Charge> charges, bool peek, Now now) {
    return decide(std::span<const Charge>(charges.begin(), charges.size()), peek, now);
  }
  void refund(std::initializer_list<Charge> charges);
  Inspection inspect(const Charge& charge) { return store_->inspect(charge, now_); }
  std::uint64_t remaining(const Charge& charge) { return inspect(charge).now.remaining; }

 private:
  std::unique_ptr<Store> store_;
  Now now_{kStart, static_cast<std::int64_t>(kWall.ns - kStart.ns)};
};

}  // namespace weir::store::testing
