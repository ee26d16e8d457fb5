#include "engine/verdict.h"

namespace weir {

Verdict::Verdict() : impl_(std::make_unique<Impl>()) {}
Verdict::~Verdict() = default;
Verdict::Verdict(Verdict&&) noexcept = default;
Verdict& Verdict::operator=(Verdict&&) noexcept = default;

bool Verdict::admit() const { return impl_->decision.admit; }
std::uint16_t Verdict::status() const { return impl_->decision.status; }
Reason Verdict::reason() const { return impl_->decision.reason; }

std::optional<std::chrono::nanoseconds> Verdict::retry_after() const {
  const decide::Decision& d = impl_->decision;
  if (d.admit || d.retry_after == Duration::max()) return std::nullopt;
  return d.retry_after.to_chrono();
}

std::chrono::nanoseconds Verdict::delay() const { return impl_->decision.delay.to_chrono(); }

std::string_view Verdict::route_class() const {
  return impl_->snapshot->policy->classes[impl_->decision.class_id].name;
}

std::string_view Verdict::tier() const {
  return impl_->snapshot->policy->tiers[impl_->decision.tier].name;
}

std::string_view Verdict::account() const { return impl_->decision.account; }

bool Verdict::degraded() const { return impl_->decision.degraded; }

std::string_view Verdict::governing() const {
  const decide::Decision& d = impl_->decision;
  if (d.governing == decide::kNoLimit) return {};
  return impl_->snapshot->policy->limits[d.verdicts[d.governing].limit].name;
}

std::size_t Verdict::limits() const { return impl_->decision.count; }

LimitReport Verdict::limit(std::size_t i) const {
  const decide::LimitVerdict& v = impl_->decision.verdicts[i];
  return {impl_->snapshot->policy->limits[v.limit].name, v.outcome, v.cost,
          v.mode == policy::Mode::shadow};
}

}  // namespace weir
