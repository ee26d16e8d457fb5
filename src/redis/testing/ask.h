// For tests of a store that answers later: charges whose verdicts are waited for or counted.
//
//   Ask ask;
//   store.charge(requests, {}, ask);
//   ask.wait(requests.size());        // aborts the test after ten seconds: nothing may hang
//   ask.admitted(), ask.failed(), ask.slowest()
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <vector>

#include "store/store.h"

namespace weir::redis::testing {

class Ask final : public store::Sink {
 public:
  using Clock = std::chrono::steady_clock;

  void decided(const store::Verdict& v) override {
    const std::lock_guard lock(mutex_);
    last_ = v;
    outcomes_.assign(v.outcomes.begin(), v.outcomes.end());
    requests_.push_back(v.request);
    ++(v.failed ? failed_ : v.admit ? admitted_ : denied_);
    slowest_ = std::max(slowest_, Clock::now() - asked_);
    done_.notify_all();
  }
  // Starts the time of `slowest`.
  void begin() { asked_ = Clock::now(); }
  void wait(std::size_t n) {
    std::unique_lock lock(mutex_);
    if (!done_.wait_for(lock, std::chrono::seconds(10), [&] { return requests_.size() >= n; })) {
      std::fprintf(stderr, "%zu of %zu verdicts after ten seconds\n", requests_.size(), n);
      std::abort();
    }
  }

  std::size_t verdicts() const { return locked(requests_.size()); }
  std::uint64_t admitted() const { return locked(admitted_); }
  std::uint64_t denied() const { return locked(denied_); }
  std::uint64_t failed() const { return locked(failed_); }
  Clock::duration slowest() const { return locked(slowest_); }
  const store::Verdict& last() const { return last_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  const std::vector<std::size_t>& requests() const { return requests_; }

 private:
  template <typename T>
  T locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable done_;
  Clock::time_point asked_ = Clock::now();
  Clock::duration slowest_{};
  store::Verdict last_;
  std::vector<Outcome> outcomes_;
  std::vector<std::size_t> requests_;
  std::uint64_t admitted_ = 0, denied_ = 0, failed_ = 0;
};

enum class Answer { admitted, denied, failed };

// One request and its verdict.
inline Answer ask(store::Store& store, const std::vector<store::Charge>& charges,
                  bool peek = false) {
  Ask sink;
  const store::Request request{charges, peek};
  store.charge({&request, 1}, {}, sink);
  sink.wait(1);
  return sink.failed() > 0     ? Answer::failed
         : sink.admitted() > 0 ? Answer::admitted
                               : Answer::denied;
}

// Looks every millisecond; false after ten seconds.
inline bool wait_until(const std::function<bool()>& come) {
  for (int i = 0; i < 10'000; ++i) {
    if (come()) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

}  // namespace weir::redis::testing
