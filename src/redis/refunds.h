// Places for the refunds that a store makes itself, of requests that were charged in part.
//
//   if (Waiting* w = refunds.make(slot, charges, charged_us, given, deadline)) send(*w);
//   refunds.put_back(*w);
//
// A refund owns the numbers of its charges: whoever is told the verdict may let the original ones
// go. Bounded. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "redis/waiting.h"

namespace weir::redis {

class Refunds {
 public:
  explicit Refunds(std::size_t most) : most_(most) {}

  // Null: too many are on their way.
  Waiting* make(std::uint16_t slot, std::span<const store::Charge> charges,
                std::optional<std::uint64_t> charged_us, Now given, Instant deadline);
  void put_back(Waiting& w) { free_.push_back(&w); }

 private:
  const std::size_t most_;
  std::deque<Waiting> places_;
  std::vector<Waiting*> free_;
  std::uint64_t serial_ = 0;
};

}  // namespace weir::redis
