#include "decide/failure.h"

#include <algorithm>
#include <array>

namespace weir::decide {
namespace {

using policy::OnStoreFailure;

// What a caller is asked to wait while nobody knows when the store comes back.
constexpr Duration kRetry = seconds(1);

class IntoVerdicts final : public store::Sink {
 public:
  IntoVerdicts(Decision& decision, std::span<const std::size_t> verdict_of)
      : decision_(decision), verdict_of_(verdict_of) {}
  void decided(const store::Verdict& verdict) override {
    for (std::size_t i = 0; i < verdict.outcomes.size(); ++i) {
      LimitVerdict& v = decision_.verdicts[verdict_of_[i]];
      v.outcome = verdict.outcomes[i];
      v.failed = false;
      // Only the share is too small for it: that passes with the failure.
      if (!v.outcome.admit && v.cost > v.outcome.limit && v.cost <= v.applied()->burst) {
        v.outcome.reason = Reason::store_failure;
        v.outcome.wait = kRetry;
      }
    }
  }

 private:
  Decision& decision_;
  std::span<const std::size_t> verdict_of_;
};

Outcome uncounted(const algo::Numbers& numbers, bool admit) {
  Outcome outcome;
  outcome.admit = admit;
  outcome.reason = admit ? Reason::admitted : Reason::store_failure;
  outcome.limit = numbers.burst;
  if (!admit) outcome.wait = kRetry;
  return outcome;
}

}  // namespace

algo::Numbers share_of(const algo::Numbers& numbers, std::uint64_t instances) {
  const auto share = [&](std::uint64_t n) { return std::max<std::uint64_t>(1, n / instances); };
  const Duration period{numbers.period_ns};
  Result<algo::Numbers> shared = Error{};
  switch (numbers.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket: {
      // The rate is divided by a longer period, which is exact; a share of the count is taken where
      // so long a period is out of range.
      const Duration longer{detail::saturating_mul(numbers.period_ns, instances)};
      const auto make = [&](std::uint64_t count, Duration of) {
        const std::uint64_t burst = share(numbers.burst);
        return numbers.algorithm == Algorithm::token_bucket
                   ? algo::make_token_bucket(count, of, burst)
                   : algo::make_leaky_bucket(count, of, burst - 1, {numbers.max_wait_ns});
      };
      shared = make(numbers.count, longer);
      if (!shared) shared = make(share(numbers.count), period);
      if (shared) algo::let_owe(*shared, algo::most_owed(numbers));
      break;
    }
    default:
      shared = algo::make_window(numbers.algorithm, share(numbers.count), period, numbers.align);
  }
  return shared ? *shared : numbers;
}

void apply_failure_policy(const policy::Policy& policy, const ChargeList& list, bool peek,
                          store::Store* local, Now now, Decision& d) {
  d.degraded = true;
  std::array<store::Charge, store::kMaxCharges> charges;
  std::array<algo::Numbers, store::kMaxCharges> shares;
  std::array<std::size_t, store::kMaxCharges> verdict_of;
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.charges().size(); ++i) {
    const store::Charge& charge = list.charges()[i];
    LimitVerdict& v = d.verdicts[list.verdict_of(i)];
    const OnStoreFailure policy_word = policy.limits[v.limit].on_store_failure;
    const bool counts = policy_word == OnStoreFailure::local && local != nullptr;
    const bool open = policy_word == OnStoreFailure::open;
    v.failed = true;
    v.outcome = uncounted(*charge.numbers, open);
    if (!open && !counts && v.mode == policy::Mode::enforce) peek = true;
    if (!counts) continue;
    shares[count] = share_of(*charge.numbers, policy.instances);
    charges[count] = charge;
    charges[count].numbers = &shares[count];
    verdict_of[count++] = list.verdict_of(i);
  }
  if (count == 0) return;
  IntoVerdicts sink(d, {verdict_of.data(), count});
  const store::Request request{{charges.data(), count}, peek};
  local->charge({&request, 1}, now, sink);
}

}  // namespace weir::decide
