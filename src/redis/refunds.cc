#include "redis/refunds.h"

namespace weir::redis {

Waiting* Refunds::make(std::uint16_t slot, std::span<const store::Charge> charges,
                       std::optional<std::uint64_t> charged_us, Now given, Instant deadline) {
  if (free_.empty()) {
    if (places_.size() >= most_) return nullptr;
    free_.push_back(&places_.emplace_back());
  }
  Waiting& w = *free_.back();
  free_.pop_back();
  w.clear();
  w.kind = Waiting::Kind::refund;
  w.own = true;
  w.given = given;
  w.deadline = deadline;
  w.charged_us = charged_us;
  w.serial.store(++serial_, std::memory_order_relaxed);
  w.charges.assign(charges.begin(), charges.end());
  w.keep_numbers();
  w.stages.one(w.charges, slot);
  return &w;
}

}  // namespace weir::redis
