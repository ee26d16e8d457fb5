// What is under way to the store: requests whose verdict is awaited, and questions for tokens.
//
// Both are sinks of the store beneath, come from a pool and go back to it; the pool keeps its
// memory and is bounded. A Call belongs to whoever handles it: one thread, or the waiting list of
// an entry, or the store.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "algo/numbers.h"
#include "guard/lease.h"
#include "guard/table.h"
#include "store/store.h"

namespace weir::guard {

class GuardStore;

// Whose request it is and how long it has taken.
struct Asker {
  store::Sink* sink = nullptr;
  std::size_t request = 0;  // its index for the sink
  Now given;
  unsigned waits = 0;  // how often it has waited for tokens
};

struct Call final : store::Sink {
  void decided(const store::Verdict& verdict) override;

  GuardStore* guard = nullptr;
  Asker asker;
  std::array<store::Charge, store::kMaxCharges> charges;
  std::size_t count = 0;
  bool peek = false;
  bool plain = false;  // goes to the store as it is, and nothing is learnt from it
  // The charges that the store is asked for, and the place of each among all; `asked` of this
  // machine's clock.
  std::array<store::Charge, store::kMaxCharges> direct;
  std::array<std::uint8_t, store::kMaxCharges> place;
  std::size_t directs = 0;
  Instant asked;
  // The others: tokens that are held for them. Null: a direct one.
  std::array<Entry*, store::kMaxCharges> holder;
  std::array<Lease::Reserved, store::kMaxCharges> held;
  Call* next = nullptr;
};

// Asks for `wanted` tokens, as many as there are: in halves, each all or nothing, so that what is
// got is exactly the lesser of what was wanted and what there was. Ends with a peek of the cost
// that somebody waits for, which says what is left and when there is more.
struct Ask final : store::Sink {
  static constexpr std::size_t kMostParts = 56;

  void decided(const store::Verdict& verdict) override;
  void prepare(const store::Charge& charge, const algo::Numbers& of, std::uint64_t tokens);

  GuardStore* guard = nullptr;
  Entry* entry = nullptr;
  algo::Numbers numbers;
  std::uint64_t wanted = 0, got = 0;
  std::array<store::Charge, kMostParts> parts;  // the last is the peek
  std::array<store::Request, kMostParts> requests;
  std::size_t count = 0, answered = 0;
  bool failed = false;
  bool peeked = false;
  Outcome left;  // what the peek said
  Now at;
  Instant asked;
};

template <typename T>
class Pool {
 public:
  explicit Pool(std::size_t most) : most_(most) {}

  // Null: as many as there may be are in use.
  T* take() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      T* t = free_.back();
      free_.pop_back();
      return t;
    }
    return all_.size() < most_ ? &all_.emplace_back() : nullptr;
  }
  void put_back(T* t) {
    const std::lock_guard lock(mutex_);
    free_.push_back(t);
  }

 private:
  std::mutex mutex_;
  std::size_t most_;
  std::deque<T> all_;
  std::vector<T*> free_;
};

}  // namespace weir::guard
