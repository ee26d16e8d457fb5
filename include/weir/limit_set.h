// Several limits that a request must pass together: all are charged, or none is.
//
//   weir::LimitSet limits;
//   const auto user = limits.add("user", weir::TokenBucket{.rate = weir::per_second(10)});
//   const auto global = limits.add("global", weir::FixedWindow{.limit = 100'000, .window = 1min});
//   if (auto d = limits.charge({{user, "42"}, {global, ""}}); !d.admit) reject(d.retry_after);
//
// Thread-safe, except that `add` must be done before other threads use the set. No call but `add`
// allocates (a SlidingLog grows). Movable. Exact: a denied request has charged nothing anywhere.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "weir/limiter.h"
#include "weir/limits.h"
#include "weir/result.h"

namespace weir {

class LimitSet {
 public:
  // At most this many limits decide one request.
  static constexpr std::size_t kMaxItems = 16;

  enum class Id : std::uint16_t {};

  // One limit of a request and whose counter of it.
  struct Item {
    Id limit{};
    Key key;
    std::uint64_t cost = 1;
    const PreparedLimit* numbers = nullptr;  // in place of the limit's own; outlives the call
  };

  struct Decision {
    bool admit = false;
    Reason reason = Reason::admitted;         // the governing limit's
    std::chrono::nanoseconds retry_after{0};  // denied: the longest of the limits that denied
    std::chrono::nanoseconds delay{0};        // admitted: the longest of all
    // Into `limits`: denied, the denying limit with the longest wait; admitted, the one closest to
    // exhaustion. 0 for a request without items.
    std::size_t governing = 0;
    std::size_t count = 0;
    std::array<LimitDecision, kMaxItems> limits;  // in the order of the items; `count` of them

    explicit operator bool() const { return admit; }
  };

  // Throws std::invalid_argument where max_keys cannot be had; `make` returns the error.
  explicit LimitSet(const LimiterOptions& options = {});
  static Result<LimitSet> make(const LimiterOptions& options = {});

  LimitSet(LimitSet&&) noexcept;
  LimitSet& operator=(LimitSet&&) noexcept;
  ~LimitSet();

  // Throws std::invalid_argument for wrong numbers or a name that is taken; `try_add` returns it.
  Id add(std::string_view name, const Limit& limit);
  Result<Id> try_add(std::string_view name, const Limit& limit);
  std::string_view name(Id limit) const;

  // A request with more than kMaxItems items, or with an Id that is not of this set, is denied with
  // reason store_failure and charges nothing.
  Decision charge(std::span<const Item> items);
  Decision charge(std::initializer_list<Item> items) { return charge(view(items)); }
  Decision peek(std::span<const Item> items) const;
  Decision peek(std::initializer_list<Item> items) const { return peek(view(items)); }
  // Gives back what an admitted request was charged.
  void refund(std::span<const Item> items);
  void refund(std::initializer_list<Item> items) { refund(view(items)); }

  bool reset(Id limit, Key key);
  LimiterStats stats() const;

 private:
  static std::span<const Item> view(std::initializer_list<Item> items) {
    return {items.begin(), items.size()};
  }

  struct Impl;
  explicit LimitSet(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
