#include "store/facade/core.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>

namespace weir::store::facade {
namespace {

class SystemSleeper final : public Sleeper {
 public:
  bool sleep_for(std::chrono::nanoseconds length, const std::stop_token& stop) override {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never_notified;
    never_notified.wait_for(lock, stop, length, [] { return false; });
    return !stop.stop_requested();
  }
};

// The bytes that are hashed: a fixed head, then the key by its kind.
class Encoding {
 public:
  template <typename T>
  void add(T value) {
    std::memcpy(bytes_ + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void add(std::string_view text) {
    if (text.empty()) return;  // it may have no bytes to point at
    std::memcpy(bytes_ + size_, text.data(), text.size());
    size_ += text.size();
  }
  std::string_view view() const { return {bytes_, size_}; }

  static constexpr std::size_t kLongestText = 192;

 private:
  char bytes_[kLongestText + 32];
  std::size_t size_ = 0;
};

enum class Tag : std::uint8_t { text, long_text, number, negative };

struct ToNumbers {
  using R = Result<algo::Numbers>;
  R operator()(const TokenBucket& l) const {
    return algo::make_token_bucket(l.rate.count, duration_of(l.rate.period),
                                   l.burst.value_or(l.rate.count));
  }
  R operator()(const LeakyBucket& l) const {
    return algo::make_leaky_bucket(l.rate.count, duration_of(l.rate.period), l.queue,
                                   l.max_wait ? duration_of(*l.max_wait) : Duration::max());
  }
  R operator()(const FixedWindow& l) const {
    return algo::make_window(Algorithm::fixed_window, l.limit, duration_of(l.window), l.align);
  }
  R operator()(const SlidingWindow& l) const {
    return algo::make_window(Algorithm::sliding_window, l.limit, duration_of(l.window), l.align);
  }
  R operator()(const SlidingLog& l) const {
    return algo::make_window(Algorithm::sliding_log, l.limit, duration_of(l.window));
  }
};

}  // namespace

Duration duration_of(std::chrono::nanoseconds length) {
  return {static_cast<std::uint64_t>(std::max<std::int64_t>(length.count(), 0))};
}

Result<algo::Numbers> numbers_of(const Limit& limit) {
  Result<algo::Numbers> numbers = std::visit(ToNumbers{}, limit);
  // Numbers come with each call, so what a counter owes by others is never taken for too much.
  if (numbers && numbers->burst_units != 0) algo::let_owe(*numbers, algo::kLongestFill);
  return numbers;
}

// The bytes of a PreparedLimit are a Numbers that was copied into them.
static_assert(sizeof(algo::Numbers) == PreparedLimit::kBytes &&
              alignof(algo::Numbers) == alignof(std::uint64_t) &&
              std::is_trivially_copyable_v<algo::Numbers>);

const algo::Numbers& numbers_of(const PreparedLimit& limit) {
  return *std::launder(reinterpret_cast<const algo::Numbers*>(limit.bytes()));
}

LimitDecision decision_of(const Outcome& o) {
  LimitDecision d;
  d.admit = o.admit;
  d.reason = o.reason;
  d.overflow = o.overflow;
  d.limit = o.limit;
  d.remaining = o.remaining;
  d.retry_after = o.admit ? std::chrono::nanoseconds(0) : o.wait.to_chrono();
  d.reset_after = o.reset.to_chrono();
  d.delay = o.delay.to_chrono();
  return d;
}

base::Digest digest_of(const base::HashSecret& secret, std::uint16_t limit,
                       const algo::Numbers& numbers, const Key& key) {
  const bool bucket =
      numbers.algorithm == Algorithm::token_bucket || numbers.algorithm == Algorithm::leaky_bucket;
  const bool aligned = !bucket && numbers.algorithm != Algorithm::sliding_log;
  Encoding bytes;
  bytes.add(limit);
  bytes.add(numbers.algorithm);
  bytes.add(aligned ? numbers.align : Align::epoch);
  bytes.add(bucket ? std::uint64_t{0} : numbers.period_ns);
  if (key.kind() != Key::Kind::text) {
    bytes.add(key.kind() == Key::Kind::number ? Tag::number : Tag::negative);
    bytes.add(key.number());
  } else if (key.text().size() <= Encoding::kLongestText) {
    bytes.add(Tag::text);
    bytes.add(key.text());
  } else {
    const base::Digest text = base::siphash13_128(secret, key.text());
    bytes.add(Tag::long_text);
    bytes.add(text.lo);
    bytes.add(text.hi);
  }
  return base::siphash13_128(secret, bytes.view());
}

Result<std::unique_ptr<Core>> Core::open(const LimiterOptions& options) {
  MemoryOptions memory;
  memory.max_keys = options.max_keys;
  memory.on_full =
      options.on_full == weir::OnFull::deny ? store::OnFull::deny : store::OnFull::shared;
  auto store = MemoryStore::open(memory);
  if (!store) return store.error();
  std::unique_ptr<Core> core(new Core);
  core->store_ = std::move(*store);
  core->system_sleeper_ = std::make_unique<SystemSleeper>();
  core->clock_ = options.clock != nullptr ? options.clock : &core->system_clock_;
  core->sleeper_ = options.sleeper != nullptr ? options.sleeper : core->system_sleeper_.get();
  return core;
}

LimiterStats Core::stats() const {
  const Stats s = store_->stats();
  return {s.keys, s.capacity, s.full};
}

Charge Core::charge_of(std::uint16_t limit, const Key& key, std::uint64_t cost,
                       const algo::Numbers& numbers) const {
  Charge c;
  c.slot = limit;
  c.key = digest_of(store_->secret(), limit, numbers, key);
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

}  // namespace weir::store::facade

namespace weir {

Result<PreparedLimit> PreparedLimit::make(const Limit& limit) {
  const Result<algo::Numbers> numbers = store::facade::numbers_of(limit);
  if (!numbers) return numbers.error();
  PreparedLimit prepared;
  std::memcpy(prepared.bytes_, &*numbers, kBytes);
  return prepared;
}

}  // namespace weir
