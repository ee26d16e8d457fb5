// weir::LimitSet over the memory store.
#include "weir/limit_set.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/lazy_array.h"
#include "store/facade/core.h"

namespace weir {

using store::facade::Core;
using store::facade::decision_of;
using store::facade::numbers_of;

static_assert(LimitSet::kMaxItems == store::kMaxCharges);

namespace {

struct Named {
  std::string name;
  algo::Numbers numbers;
};

// Identical requests that would still be admitted, alone and at once.
std::uint64_t headroom(const LimitDecision& d, std::uint64_t cost) {
  return d.remaining / std::max<std::uint64_t>(cost, 1);
}

// Whether `b` says more than `a` about why the request was answered as it was.
bool governs(bool admitted, const LimitDecision& b, std::uint64_t cost_b, const LimitDecision& a,
             std::uint64_t cost_a) {
  if (!admitted) return !b.admit && (a.admit || b.retry_after > a.retry_after);
  const std::uint64_t left_b = headroom(b, cost_b);
  const std::uint64_t left_a = headroom(a, cost_a);
  return left_b < left_a || (left_b == left_a && b.reset_after > a.reset_after);
}

class Fold final : public store::Sink {
 public:
  explicit Fold(std::span<const LimitSet::Item> items) : items_(items) {}

  void decided(const store::Verdict& verdict) override {
    decision.admit = verdict.admit;
    decision.count = verdict.outcomes.size();
    for (std::size_t i = 0; i < decision.count; ++i) {
      decision.limits[i] = decision_of(verdict.outcomes[i]);
      if (governs(decision.admit, decision.limits[i], items_[i].cost,
                  decision.limits[decision.governing], items_[decision.governing].cost)) {
        decision.governing = i;
      }
      if (decision.admit) decision.delay = std::max(decision.delay, decision.limits[i].delay);
    }
    if (decision.count == 0) return;
    const LimitDecision& governing = decision.limits[decision.governing];
    decision.reason = governing.reason;
    if (!decision.admit) decision.retry_after = governing.retry_after;
  }
  LimitSet::Decision decision;

 private:
  std::span<const LimitSet::Item> items_;
};

}  // namespace

struct LimitSet::Impl {
  std::unique_ptr<Core> core;
  std::deque<Named> limits;  // by Id; a deque, so that numbers stay where they are

  // The charges of some items, in their order.
  struct Charges {
    base::LazyArray<store::Charge, store::kMaxCharges> charges;
    std::size_t count = 0;
    std::span<const store::Charge> span() const { return {charges.data(), count}; }
  };

  bool fill(std::span<const Item> items, Charges& out) const {
    if (items.size() > kMaxItems) return false;
    for (const Item& item : items) {
      const auto index = static_cast<std::uint16_t>(item.limit);
      if (index >= limits.size()) return false;
      const algo::Numbers& numbers =
          item.numbers != nullptr ? numbers_of(*item.numbers) : limits[index].numbers;
      out.charges.make(out.count++) = core->charge_of(index, item.key, item.cost, numbers);
    }
    return true;
  }

  Decision decide(std::span<const Item> items, bool peek) const {
    Charges charges;
    Fold fold(items);
    if (!fill(items, charges)) {
      fold.decision.reason = Reason::store_failure;
      return fold.decision;
    }
    const store::Request request{charges.span(), peek};
    core->store().charge({&request, 1}, core->now(), fold);
    return fold.decision;
  }
};

Result<LimitSet> LimitSet::make(const LimiterOptions& options) {
  Result<std::unique_ptr<Core>> core = Core::open(options);
  if (!core) return core.error();
  return LimitSet(std::unique_ptr<Impl>(new Impl{std::move(*core), {}}));
}

LimitSet::LimitSet(const LimiterOptions& options) {
  Result<LimitSet> made = make(options);
  if (!made) throw std::invalid_argument("weir::LimitSet: " + made.error().text());
  impl_ = std::move(made->impl_);
}

LimitSet::LimitSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LimitSet::LimitSet(LimitSet&&) noexcept = default;
LimitSet& LimitSet::operator=(LimitSet&&) noexcept = default;
LimitSet::~LimitSet() = default;

Result<LimitSet::Id> LimitSet::try_add(std::string_view name, const Limit& limit) {
  const auto same = [&](const Named& l) { return l.name == name; };
  if (std::any_of(impl_->limits.begin(), impl_->limits.end(), same)) {
    return Error{ErrorCode::invalid_argument, "this set has a limit of that name",
                 std::string(name)};
  }
  if (impl_->limits.size() == std::numeric_limits<std::uint16_t>::max()) {
    return Error{ErrorCode::out_of_range, "a set has at most 65,535 limits", std::string(name)};
  }
  Result<algo::Numbers> numbers = numbers_of(limit);
  if (!numbers) {
    Error error = numbers.error();
    error.where = std::string(name) + (error.where.empty() ? "" : "." + error.where);
    return error;
  }
  impl_->limits.push_back({std::string(name), *numbers});
  return static_cast<Id>(impl_->limits.size() - 1);
}

LimitSet::Id LimitSet::add(std::string_view name, const Limit& limit) {
  const Result<Id> id = try_add(name, limit);
  if (!id) throw std::invalid_argument("weir::LimitSet: " + id.error().text());
  return *id;
}

std::string_view LimitSet::name(Id limit) const {
  const auto index = static_cast<std::uint16_t>(limit);
  return index < impl_->limits.size() ? std::string_view(impl_->limits[index].name) : "";
}

LimitSet::Decision LimitSet::charge(std::span<const Item> items) {
  return impl_->decide(items, false);
}

LimitSet::Decision LimitSet::peek(std::span<const Item> items) const {
  return impl_->decide(items, true);
}

void LimitSet::refund(std::span<const Item> items) {
  Impl::Charges charges;
  if (impl_->fill(items, charges)) {
    impl_->core->store().refund(charges.span(), impl_->core->now());
  }
}

bool LimitSet::reset(Id limit, Key key) {
  const Item item{limit, key, 0, nullptr};
  Impl::Charges charges;
  // One item makes one charge, which the analyzer does not follow.
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
  return impl_->fill({&item, 1}, charges) &&
         impl_->core->store().reset(charges.charges[0].slot, charges.charges[0].key);
}

LimiterStats LimitSet::stats() const { return impl_->core->stats(); }

}  // namespace weir
