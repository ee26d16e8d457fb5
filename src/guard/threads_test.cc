// Threads in several processes with prefetch, on one limit: exactly the limit, whoever comes when.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "guard/guard_store.h"
#include "guard/testing/thread_store.h"
#include "store/memory/memory_store.h"
#include "store/testing/lab.h"

namespace weir::guard {
namespace {

using store::testing::a_day;
using testing::ThreadStore;

// Waits for one answer at a time.
class Waiter final : public store::Sink {
 public:
  void decided(const store::Verdict& v) override {
    const std::lock_guard lock(mutex_);
    admit_ = v.admit;
    answered_ = true;
    changed_.notify_one();
  }
  bool ask(GuardStore& guard, std::span<const store::Charge> charges, Now now) {
    answered_ = false;
    const store::Request request{charges, false};
    guard.charge({&request, 1}, now, *this);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_; });
    return admit_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool answered_ = false;
  bool admit_ = false;
};

struct Fleet {
  explicit Fleet(unsigned processes) {
    auto opened = store::MemoryStore::open({.secret = base::HashSecret{1, 2}});
    memory = std::move(*opened);
    for (unsigned i = 0; i < processes; ++i) {
      guards.push_back(std::make_unique<GuardStore>(std::make_unique<ThreadStore>(*memory),
                                                    GuardOptions{.timeout = seconds(10)}));
    }
  }
  std::unique_ptr<store::Store> memory;
  std::vector<std::unique_ptr<GuardStore>> guards;
  SystemClock clock;
};

class Threads : public ::testing::TestWithParam<Algorithm> {};

TEST_P(Threads, AdmitExactlyTheLimitOnceEveryTokenIsUsedOrReturned) {
  Fleet fleet(3);
  const algo::Numbers numbers = a_day(GetParam(), 1'000);
  const algo::Numbers beside = a_day(Algorithm::token_bucket, 1'000'000);
  const auto charge_on = [&](std::string_view key, const algo::Numbers& n, bool ahead) {
    store::Charge c;
    c.key = base::siphash13_128(fleet.memory->secret(), key);
    c.numbers = &n;
    c.prefetch = ahead;
    return c;
  };
  const store::Charge charges[] = {charge_on("hot", numbers, true),
                                   charge_on("beside", beside, false)};
  std::atomic<int> admitted{0};
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      GuardStore& guard = *fleet.guards[t % fleet.guards.size()];
      Waiter waiter;
      // Until all was used: a token that is returned is somebody's.
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (admitted < 1'000 && std::chrono::steady_clock::now() < end) {
        admitted += waiter.ask(guard, {charges, t < 3 ? 1u : 2u}, fleet.clock.now()) ? 1 : 0;
      }
      // And nothing more.
      for (int i = 0; i < 200; ++i) {
        admitted += waiter.ask(guard, {charges, 1}, fleet.clock.now()) ? 1 : 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(admitted, 1'000);
  std::uint64_t prefetched = 0;
  for (const auto& guard : fleet.guards) prefetched += guard->counts().prefetched;
  EXPECT_GT(prefetched, 0u);
}

INSTANTIATE_TEST_SUITE_P(Guards, Threads,
                         ::testing::Values(Algorithm::token_bucket, Algorithm::fixed_window,
                                           Algorithm::sliding_window, Algorithm::sliding_log),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST(GuardStore, EndsWhileMuchIsUnderWay) {
  for (int round = 0; round < 20; ++round) {
    Fleet fleet(1);
    const algo::Numbers numbers = a_day(Algorithm::token_bucket, 100'000);
    store::Charge charge;
    charge.key = {static_cast<std::uint64_t>(round), 7};
    charge.numbers = &numbers;
    charge.prefetch = true;
    class Count final : public store::Sink {
     public:
      void decided(const store::Verdict&) override { ++n; }
      std::atomic<int> n{0};
    } count;
    for (int i = 0; i < 500; ++i) {
      const store::Request request{{&charge, 1}, false};
      fleet.guards[0]->charge({&request, 1}, fleet.clock.now(), count);
    }
    fleet.guards.clear();
    EXPECT_EQ(count.n, 500);
  }
}

}  // namespace
}  // namespace weir::guard
