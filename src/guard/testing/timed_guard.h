// For tests: a guard whose clock is the `now` of each call, as the suite of every store moves it by
// hand, and what reaches the store beneath.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>

#include "guard/guard_store.h"
#include "store/store.h"

namespace weir::guard::testing {

// Counts what it is asked; hands it on.
class Counted final : public store::Store {
 public:
  explicit Counted(std::unique_ptr<store::Store> store) : store_(std::move(store)) {}

  bool immediate() const override { return store_->immediate(); }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    ++calls;
    store_->charge(requests, now, sink);
  }
  void refund(std::span<const store::Charge> charges, Now now) override {
    for (const store::Charge& c : charges) refunded += c.cost;
    store_->refund(charges, now);
  }
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    return store_->inspect(charge, now);
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return store_->reset(slot, key);
  }
  store::Stats stats() const override { return store_->stats(); }
  const base::HashSecret& secret() const override { return store_->secret(); }

  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> refunded{0};

 private:
  std::unique_ptr<store::Store> store_;
};

class TimedGuard final : public store::Store {
 public:
  TimedGuard(std::unique_ptr<store::Store> beneath, GuardOptions options) {
    auto counted = std::make_unique<Counted>(std::move(beneath));
    counted_ = counted.get();
    options.clock = &clock_;
    options.sweeps = false;
    guard_ = std::make_unique<GuardStore>(std::move(counted), options);
  }

  bool immediate() const override { return guard_->immediate(); }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    clock_.set(now);
    guard_->charge(requests, now, sink);
  }
  void refund(std::span<const store::Charge> charges, Now now) override {
    clock_.set(now);
    guard_->refund(charges, now);
  }
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    clock_.set(now);
    return guard_->inspect(charge, now);
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return guard_->reset(slot, key);
  }
  store::Stats stats() const override { return guard_->stats(); }
  const base::HashSecret& secret() const override { return guard_->secret(); }

  GuardStore& guard() { return *guard_; }
  Counted& beneath() { return *counted_; }
  void sweep(Now now) {
    clock_.set(now);
    guard_->sweep(now);
  }

 private:
  class GivenClock final : public Clock {
   public:
    Now now() override { return {{steady_.load()}, offset_.load()}; }
    void set(Now now) {
      steady_ = now.steady.ns;
      offset_ = now.wall_offset_ns;
    }

   private:
    std::atomic<std::uint64_t> steady_{0};
    std::atomic<std::int64_t> offset_{0};
  };

  GivenClock clock_;
  std::unique_ptr<GuardStore> guard_;
  Counted* counted_;
};

}  // namespace weir::guard::testing
