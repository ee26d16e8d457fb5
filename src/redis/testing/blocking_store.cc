#include "redis/testing/blocking_store.h"

#include <condition_variable>

namespace weir::redis::testing {
namespace {

// Keeps what the store's thread says until the caller takes it.
class Kept final : public store::Sink {
 public:
  explicit Kept(std::size_t n) : left_(n), verdicts_(n), outcomes_(n) {}

  void decided(const store::Verdict& v) override {
    const std::lock_guard lock(mutex_);
    verdicts_[v.request] = v;
    outcomes_[v.request].assign(v.outcomes.begin(), v.outcomes.end());
    if (--left_ == 0) done_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
  }
  store::Verdict verdict(std::size_t i) const {
    store::Verdict v = verdicts_[i];
    v.outcomes = outcomes_[i];
    return v;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t left_;
  std::vector<store::Verdict> verdicts_;
  std::vector<std::vector<Outcome>> outcomes_;
};

}  // namespace

void BlockingStore::charge(std::span<const store::Request> requests, Now now, store::Sink& sink) {
  Kept kept(requests.size());
  {
    // Instants go out in the order they were given, as those of a server's own clock are.
    const std::lock_guard lock(order_);
    store_->charge(requests, latest(now), kept);
  }
  kept.wait();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    store::Verdict v = kept.verdict(i);
    // The server's instants are wall time.
    const Instant wall = v.now.wall();
    v.now.wall_offset_ns = now.wall_offset_ns;
    v.now.steady = wall - Duration{static_cast<std::uint64_t>(now.wall_offset_ns)};
    sink.decided(v);
  }
}

}  // namespace weir::redis::testing
