#include "store/registry.h"

namespace weir::store {

Registry::Identity Registry::identity(std::string_view name, const algo::Numbers& numbers,
                                      std::string_view unit) {
  const bool bucket =
      numbers.algorithm == Algorithm::token_bucket || numbers.algorithm == Algorithm::leaky_bucket;
  const bool aligned = !bucket && numbers.algorithm != Algorithm::sliding_log;
  return {std::string(name), numbers.algorithm, bucket ? 0 : numbers.period_ns,
          aligned ? numbers.align : Align::epoch, std::string(unit)};
}

Result<Slot> Registry::slot(std::string_view name, const algo::Numbers& numbers,
                            std::string_view unit) {
  Identity wanted = identity(name, numbers, unit);
  const std::lock_guard lock(mutex_);
  if (const auto found = slots_.find(wanted); found != slots_.end()) return found->second;
  if (slots_.size() == kMaxSlots) {
    return Error{
        ErrorCode::out_of_range,
        "no slot is left for this limit: 65,535 different limits (by name, algorithm, "
        "window, alignment and unit) were loaded since the start, and none is reused while "
        "counters of it may live; restart to free those of old policies",
        std::string(name)};
  }
  const auto slot = static_cast<Slot>(slots_.size() + 1);
  slots_.emplace(std::move(wanted), slot);
  return slot;
}

std::size_t Registry::size() const {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

}  // namespace weir::store
