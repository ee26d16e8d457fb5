// A limit in this process: one object, any number of keys.
//
//   weir::Limiter limiter(weir::TokenBucket{.rate = weir::per_second(10), .burst = 20});
//   if (auto d = limiter.charge("user:42"); !d.admit) std::this_thread::sleep_for(d.retry_after);
//
// Thread-safe, movable (not while in use); every key has a counter of its own, and counters that
// are full again cost nothing. Memory for `max_keys` is reserved at once and touched as keys come:
// about 70 bytes a key. No call allocates memory, formats text or makes a system call, except
// `wait`, a sliding_log that grows, and a lock that two threads want.
//
// Errors: only making a limiter can fail, with numbers that cannot be kept exactly or memory that
// cannot be had. The constructor throws std::invalid_argument, `make` returns the error.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

#include "weir/clock.h"
#include "weir/decision.h"
#include "weir/limits.h"
#include "weir/result.h"

namespace weir {

// Whose counter: a text of any bytes, or a whole number. "42" and 42 are different keys. Views the
// text: use it within the call it is given to.
class Key {
 public:
  enum class Kind : std::uint8_t { text, number, negative };

  Key(std::string_view text) : text_(text) {}    // NOLINT: implicit
  Key(const std::string& text) : text_(text) {}  // NOLINT: implicit
  Key(const char* text) : text_(text) {}         // NOLINT: implicit
  template <std::integral I>
  requires(!std::same_as<std::remove_cv_t<I>, bool>) Key(I number)  // NOLINT: implicit
      : kind_(number < I{0} ? Kind::negative : Kind::number),
        number_(static_cast<std::uint64_t>(number)) {}

  Kind kind() const { return kind_; }
  std::string_view text() const { return text_; }
  std::uint64_t number() const { return number_; }

 private:
  Kind kind_ = Kind::text;
  std::string_view text_;
  std::uint64_t number_ = 0;
};

// What one limit says. On an admission the counters are those after the charge, on a denial and for
// a peek those that were found.
struct LimitDecision {
  static constexpr std::chrono::nanoseconds kNever = std::chrono::nanoseconds::max();

  bool admit = false;
  Reason reason = Reason::admitted;
  bool overflow = false;  // max_keys live keys: counted with the others that found no place
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  std::chrono::nanoseconds retry_after{0};  // until the same would be admitted; kNever: never
  std::chrono::nanoseconds reset_after{0};  // until full, or a fixed window's end
  std::chrono::nanoseconds delay{0};        // LeakyBucket, admitted: wait this long, then go on

  explicit operator bool() const { return admit; }
};

// Where max_keys keys are live and another comes: it shares one counter with all such keys, or is
// denied with reason table_full.
enum class OnFull : std::uint8_t { shared, deny };

// How `wait` passes time. Give your own to wait on an event loop's terms, or in tests.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  // Sleeps for `length`, or until a stop is requested; false means that it was.
  virtual bool sleep_for(std::chrono::nanoseconds length, const std::stop_token& stop) = 0;
};

struct LimiterOptions {
  std::uint64_t max_keys = 1'000'000;  // 1 to 1e9
  OnFull on_full = OnFull::shared;
  Clock* clock = nullptr;      // outlives the limiter; null: the system's (SystemClock)
  Sleeper* sleeper = nullptr;  // outlives the limiter; null: the calling thread sleeps
};

struct LimiterStats {
  std::uint64_t keys = 0;  // counters kept, those that are full again but not reused included
  std::uint64_t max_keys = 0;
  std::uint64_t full = 0;  // charges that found no place for their key
};

class Limiter {
 public:
  explicit Limiter(const Limit& limit, const LimiterOptions& options = {});
  static Result<Limiter> make(const Limit& limit, const LimiterOptions& options = {});

  Limiter(Limiter&&) noexcept;
  Limiter& operator=(Limiter&&) noexcept;
  ~Limiter();

  // Takes `cost` if there is room for it. Cost 0 is always admitted and takes nothing.
  LimitDecision charge(Key key, std::uint64_t cost = 1);
  // The same under other numbers: a plan's, a customer's.
  LimitDecision charge(Key key, std::uint64_t cost, const PreparedLimit& limit);

  // What `charge` would say; takes nothing.
  LimitDecision peek(Key key, std::uint64_t cost = 1) const;
  LimitDecision peek(Key key, std::uint64_t cost, const PreparedLimit& limit) const;

  // Gives back what was taken for something that did not happen. Never above full.
  void refund(Key key, std::uint64_t cost = 1);
  void refund(Key key, std::uint64_t cost, const PreparedLimit& limit);

  // Takes `cost` as soon as there is room, and waits for that at most `at_most`. Returns a denial
  // at once where the wait would be longer. A LeakyBucket's delay has been waited out on return.
  // When `stop` is requested the wait ends, nothing is taken, and the answer is a denial that shows
  // the counter as it is. Others may come first: callers that wait together are served in no order.
  LimitDecision wait(Key key, std::uint64_t cost, std::chrono::nanoseconds at_most,
                     std::stop_token stop = {});

  // Forgets what the key has used under the limiter's own limit. True if it had used anything.
  bool reset(Key key);

  LimiterStats stats() const;

 private:
  struct Impl;
  explicit Limiter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
