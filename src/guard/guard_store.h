// A Store around a Store on another machine: answers what needs no question.
//
//   GuardStore store(std::move(redis), {});
//   store.charge(requests, now, sink);   // as the store beneath, or at once
//
// - A charge that the store has denied is denied here until it fits, as the store would (told.h);
// at
//   most `believed` long, since another process may give back.
// - With `Charge::prefetch`, tokens of a busy counter are taken ahead and handed out here
// (lease.h).
//   What is charged is what the store has charged; the envelope grows by what is unspent at most,
//   algo::most_prefetched a process. A quiet counter is charged directly.
// A request stands or falls as a whole: tokens are held while the store decides about the rest, and
// are in hand again if it denies. What is in hand when the guard ends goes back. Peeks, and
// requests that charge one counter twice, go to the store as they are.
//
// Time is that of the clock in the options, a steady one, whatever `now` the caller has; what the
// store says of its own is taken over. The sink is called before `charge` returns or later, on the
// store's thread; no lock is held then. Thread-safe. A thread of its own gives back what is unspent
// while there is any. Allocates nothing once as much was under way as is now. Cost: a lock and a
// look-up for each charge.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "guard/call.h"
#include "guard/counts.h"
#include "guard/table.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::guard {

struct GuardOptions {
  Clock* clock = nullptr;               // outlives the guard; null: the system's
  Duration believed = seconds(1);       // how long a denial is
  Duration timeout = milliseconds(15);  // of the store beneath: how long one decision may take
  std::size_t counters = 16'384;
  std::size_t most_calls = 65'536;
  bool sweeps = true;  // false: `sweep` is called by the owner, for tests
};

// Tokens on their way back.
struct Unspent {
  store::Charge charge;
  algo::Numbers numbers;
};

class GuardStore final : public store::Store {
 public:
  GuardStore(std::unique_ptr<store::Store> beneath, const GuardOptions& options);
  ~GuardStore() override;

  bool immediate() const override { return beneath_->immediate(); }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override;
  void refund(std::span<const store::Charge> charges, Now now) override;
  store::Inspection inspect(const store::Charge& charge, Now now) override {
    return beneath_->inspect(charge, now);
  }
  bool reset(store::Slot slot, const base::Digest& key) override;
  bool reset(const store::Charge& charge) override;
  store::Stats stats() const override { return beneath_->stats(); }
  const base::HashSecret& secret() const override { return beneath_->secret(); }

  const store::Store& beneath() const { return *beneath_; }
  Counts counts() const { return counters_.read(); }
  // Gives back what is over.
  void sweep(Now now) { sweep(now, false); }

 private:
  friend struct Call;
  friend struct Ask;
  friend class Turn;

  void decide(std::span<const store::Charge> charges, const Asker& asker, Now now, Call* call);
  void send(Call& call, Now now);
  void answered(Call& call, const store::Verdict& verdict);
  void note(const Call& call, const store::Verdict& verdict, Instant now);
  void answered(Ask& ask, const store::Verdict& verdict);
  void finish(Ask& ask);
  // Whether who waits for tokens in vain has time left to ask the store itself.
  bool waiting_leaves_time() const {
    return trip_ns_.load(std::memory_order_relaxed) <= options_.timeout.ns / 3;
  }
  void give_back(const Unspent& unspent, Now now);
  void pass(const store::Request& request, const Asker& asker);
  void fail(const Asker& asker);
  Call* new_call(std::span<const store::Charge> charges, const Asker& asker);
  void sweep(Now now, bool all);
  void forget(const base::Digest& key, bool and_tokens);
  void now_live(Entry& entry);
  void run();

  GuardOptions options_;
  SystemClock system_clock_;
  Clock& clock_;
  Table table_;
  Pool<Call> calls_;
  Pool<Ask> asks_;
  Counters counters_;
  std::mutex sweeper_mutex_;
  std::condition_variable sweeper_woken_;
  std::atomic<bool> ended_{false};
  // How long the store took for its last answer; before the first nobody knows.
  std::atomic<std::uint64_t> trip_ns_{~std::uint64_t{0}};
  // Last but the thread: it delivers to what is above until it is gone. Never reset: until then its
  // thread may use the pointer.
  std::unique_ptr<store::Store> beneath_;
  std::thread sweeper_;
};

}  // namespace weir::guard
