// weir::Limiter over the memory store.
#include "weir/limiter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "store/facade/core.h"

namespace weir {

using store::facade::Core;
using store::facade::decision_of;
using store::facade::duration_of;
using store::facade::numbers_of;

namespace {

// A Limiter's store holds this limit alone.
constexpr std::uint16_t kOnlyLimit = 0;
// A longer sleep is done in parts: no clock has to add centuries to its time.
constexpr std::chrono::nanoseconds kLongestSleep = std::chrono::hours(1);

class OneDecision final : public store::Sink {
 public:
  void decided(const store::Verdict& verdict) override {
    decision = decision_of(verdict.outcomes[0]);
  }
  LimitDecision decision;
};

}  // namespace

struct Limiter::Impl {
  std::unique_ptr<Core> core;
  algo::Numbers numbers;

  LimitDecision decide(const Key& key, std::uint64_t cost, const algo::Numbers& by, bool peek,
                       Now now, Duration max_delay = Duration::max()) {
    store::Charge charge = core->charge_of(kOnlyLimit, key, cost, by);
    charge.max_delay = max_delay;
    const store::Request request{{&charge, 1}, peek};
    OneDecision sink;
    core->store().charge({&request, 1}, now, sink);
    return sink.decision;
  }
  void refund(const Key& key, std::uint64_t cost, const algo::Numbers& by) {
    const store::Charge charge = core->charge_of(kOnlyLimit, key, cost, by);
    core->store().refund({&charge, 1}, core->now());
  }
  // How long until the caller of a denied wait could go on. In a queue that is when all who are in
  // it have gone, also where there is room to stand earlier.
  Duration earliest(const LimitDecision& d) const {
    const bool queue = numbers.algorithm == Algorithm::leaky_bucket;
    return duration_of(queue ? std::max(d.retry_after, d.reset_after) : d.retry_after);
  }
  // False where a stop was requested before the end.
  bool sleep(std::chrono::nanoseconds length, const std::stop_token& stop) {
    while (length > std::chrono::nanoseconds(0)) {
      const std::chrono::nanoseconds part = std::min(length, kLongestSleep);
      if (!core->sleeper().sleep_for(part, stop)) return false;
      length -= part;
    }
    return true;
  }
};

Result<Limiter> Limiter::make(const Limit& limit, const LimiterOptions& options) {
  const Result<algo::Numbers> numbers = numbers_of(limit);
  if (!numbers) return numbers.error();
  Result<std::unique_ptr<Core>> core = Core::open(options);
  if (!core) return core.error();
  return Limiter(std::unique_ptr<Impl>(new Impl{std::move(*core), *numbers}));
}

Limiter::Limiter(const Limit& limit, const LimiterOptions& options) {
  Result<Limiter> made = make(limit, options);
  if (!made) throw std::invalid_argument("weir::Limiter: " + made.error().text());
  impl_ = std::move(made->impl_);
}

Limiter::Limiter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Limiter::Limiter(Limiter&&) noexcept = default;
Limiter& Limiter::operator=(Limiter&&) noexcept = default;
Limiter::~Limiter() = default;

LimitDecision Limiter::charge(Key key, std::uint64_t cost) {
  return impl_->decide(key, cost, impl_->numbers, false, impl_->core->now());
}

LimitDecision Limiter::charge(Key key, std::uint64_t cost, const PreparedLimit& limit) {
  return impl_->decide(key, cost, numbers_of(limit), false, impl_->core->now());
}

LimitDecision Limiter::peek(Key key, std::uint64_t cost) const {
  return impl_->decide(key, cost, impl_->numbers, true, impl_->core->now());
}

LimitDecision Limiter::peek(Key key, std::uint64_t cost, const PreparedLimit& limit) const {
  return impl_->decide(key, cost, numbers_of(limit), true, impl_->core->now());
}

void Limiter::refund(Key key, std::uint64_t cost) { impl_->refund(key, cost, impl_->numbers); }

void Limiter::refund(Key key, std::uint64_t cost, const PreparedLimit& limit) {
  impl_->refund(key, cost, numbers_of(limit));
}

LimitDecision Limiter::wait(Key key, std::uint64_t cost, std::chrono::nanoseconds at_most,
                            std::stop_token stop) {  // NOLINT: a token is given by value
  const algo::Numbers& numbers = impl_->numbers;
  Now now = impl_->core->now();
  const Instant deadline = now.steady + duration_of(at_most);
  while (!stop.stop_requested()) {
    const Duration left = deadline - now.steady;
    const LimitDecision d = impl_->decide(key, cost, numbers, false, now, left);
    if (d.admit) {
      if (impl_->sleep(d.delay, stop)) return d;
      impl_->refund(key, cost, numbers);
      break;
    }
    if (d.retry_after == LimitDecision::kNever || impl_->earliest(d) > left) return d;
    if (!impl_->sleep(d.retry_after, stop)) break;
    now = impl_->core->now();
  }
  LimitDecision cancelled = peek(key, cost);
  cancelled.admit = false;
  if (cancelled.reason == Reason::admitted) cancelled.reason = Reason::limit_exceeded;
  return cancelled;
}

bool Limiter::reset(Key key) {
  const store::Charge charge = impl_->core->charge_of(kOnlyLimit, key, 0, impl_->numbers);
  return impl_->core->store().reset(charge.slot, charge.key);
}

LimiterStats Limiter::stats() const { return impl_->core->stats(); }

}  // namespace weir
