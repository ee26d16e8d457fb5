#include "store/registry.h"

#include "base/siphash.h"

namespace weir::store {
namespace {

bool is_bucket(const algo::Numbers& numbers) {
  return numbers.algorithm == Algorithm::token_bucket ||
         numbers.algorithm == Algorithm::leaky_bucket;
}

// What shapes a state besides its algorithm: a bucket has no window, a log no alignment.
std::uint64_t window_of(const algo::Numbers& numbers) {
  return is_bucket(numbers) ? 0 : numbers.period_ns;
}
Align align_of(const algo::Numbers& numbers) {
  const bool aligned = !is_bucket(numbers) && numbers.algorithm != Algorithm::sliding_log;
  return aligned ? numbers.align : Align::epoch;
}

}  // namespace

std::uint64_t limit_id(std::string_view name, const algo::Numbers& numbers, std::string_view unit) {
  // Any fixed secret would do: the id is no secret, the store's own comes on top.
  base::SipHasher<1, 3> hasher({0x7765'6972'2d6c'696d, 0x6974'2d69'6400'0001});
  hasher.add_word(static_cast<std::uint64_t>(numbers.algorithm));
  hasher.add_word(static_cast<std::uint64_t>(align_of(numbers)));
  hasher.add_word(window_of(numbers));
  hasher.add_word(unit.size());
  hasher.add_last(std::string(unit) + std::string(name));
  return hasher.finish().lo;
}

Registry::Identity Registry::identity(std::string_view name, const algo::Numbers& numbers,
                                      std::string_view unit) {
  return {std::string(name), numbers.algorithm, window_of(numbers), align_of(numbers),
          std::string(unit)};
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
