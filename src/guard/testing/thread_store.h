// A memory store that answers on a thread of its own, for tests of threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "store/store.h"

namespace weir::guard::testing {

class ThreadStore final : public store::Store {
 public:
  explicit ThreadStore(store::Store& memory) : memory_(memory), thread_([this] { run(); }) {}
  ~ThreadStore() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      queue_.push_back({{requests[i].charges.begin(), requests[i].charges.end()},
                        {},
                        requests[i].peek,
                        i,
                        now,
                        &sink});
    }
    changed_.notify_all();
  }
  void refund(std::span<const store::Charge> charges, Now now) override {
    const std::lock_guard lock(mutex_);
    queue_.push_back({{charges.begin(), charges.end()}, {}, false, 0, now, nullptr});
    for (const store::Charge& c : charges) queue_.back().numbers.push_back(*c.numbers);
    changed_.notify_all();
  }
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    return memory_.inspect(charge, now);
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return memory_.reset(slot, key);
  }
  store::Stats stats() const override { return memory_.stats(); }
  const base::HashSecret& secret() const override { return memory_.secret(); }

 private:
  struct Asked {
    std::vector<store::Charge> charges;
    std::vector<algo::Numbers> numbers;  // of a refund
    bool peek;
    std::size_t index;
    Now now;
    store::Sink* sink;  // null: a refund
  };
  class Forward final : public store::Sink {
   public:
    explicit Forward(const Asked& asked) : asked_(asked) {}
    void decided(const store::Verdict& verdict) override {
      store::Verdict as_asked = verdict;
      as_asked.request = asked_.index;
      asked_.sink->decided(as_asked);
    }

   private:
    const Asked& asked_;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !queue_.empty() || ended_; });
      if (queue_.empty()) return;
      Asked asked = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (asked.sink == nullptr) {
        for (std::size_t i = 0; i < asked.charges.size(); ++i) {
          asked.charges[i].numbers = &asked.numbers[i];
        }
        memory_.refund(asked.charges, asked.now);
      } else {
        Forward forward(asked);
        const store::Request request{asked.charges, asked.peek};
        memory_.charge({&request, 1}, asked.now, forward);
      }
      lock.lock();
    }
  }

  store::Store& memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> queue_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace weir::guard::testing
