// A memory store that answers on a thread of its own, when it is let, or fails: what a store on
// another machine looks like to the service.
//
//   TestServer server(policy, "", {}, LaterStore::open);
//   LaterStore& store = LaterStore::of(*server.server);
//   store.pause();  ...  store.resume();  store.fail(true);
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "decide/engine.h"
#include "serve/server.h"
#include "store/store.h"

namespace weir::serve::testing {

class LaterStore final : public store::Store {
 public:
  static Result<std::unique_ptr<store::Store>> open(const policy::StoreConfig& config) {
    auto memory = decide::Engine::open_memory(config);
    if (!memory) return memory.error();
    return std::unique_ptr<store::Store>(new LaterStore(std::move(*memory)));
  }
  static LaterStore& of(Server& server) {
    return dynamic_cast<LaterStore&>(server.engine().store());
  }
  // Answers what was asked, all of it with a failure if it was paused.
  ~LaterStore() override {
    {
      const std::lock_guard lock(mutex_);
      failing_ = failing_ || paused_;
      paused_ = false;
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void pause() { set(paused_, true); }
  void resume() { set(paused_, false); }
  void fail(bool failing) { set(failing_, failing); }
  // Requests that wait, once there are `n`.
  void wait_for(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.size() >= n; });
  }

  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      queue_.push_back({{requests[i].charges.begin(), requests[i].charges.end()},
                        requests[i].peek,
                        i,
                        now,
                        &sink});
    }
    changed_.notify_all();
  }
  void refund(std::span<const store::Charge> charges, Now now) override {
    memory_->refund(charges, now);
  }
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    return memory_->inspect(charge, now);
  }
  bool reset(store::Slot slot, const base::Digest& key) override {
    return memory_->reset(slot, key);
  }
  store::Stats stats() const override { return memory_->stats(); }
  const base::HashSecret& secret() const override { return memory_->secret(); }

 private:
  struct Asked {
    std::vector<store::Charge> charges;
    bool peek;
    std::size_t index;
    Now now;
    store::Sink* sink;
  };
  // The memory store has one request; its place among those that were asked is put back.
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

  explicit LaterStore(std::unique_ptr<store::Store> memory)
      : memory_(std::move(memory)), thread_([this] { run(); }) {}

  void set(bool& what, bool to) {
    const std::lock_guard lock(mutex_);
    what = to;
    changed_.notify_all();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return (!queue_.empty() && !paused_) || ended_; });
      if (queue_.empty()) return;
      const Asked asked = std::move(queue_.front());
      queue_.pop_front();
      const bool failing = failing_;
      lock.unlock();
      if (failing) {
        asked.sink->decided({.request = asked.index,
                             .admit = false,
                             .failed = true,
                             .now = asked.now,
                             .outcomes = {}});
      } else {
        Forward forward(asked);
        const store::Request request{asked.charges, asked.peek};
        memory_->charge({&request, 1}, asked.now, forward);
      }
      lock.lock();
    }
  }

  std::unique_ptr<store::Store> memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> queue_;
  bool paused_ = false;
  bool failing_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace weir::serve::testing
