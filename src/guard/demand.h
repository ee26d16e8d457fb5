// How much of one counter this process is asked for, and whether that is enough to take tokens
// ahead. A value; pure; no float.
//
// Measured over spans of a tenth of a second, each as heavy as all before it. A key that has just
// become busy is noticed within its first span.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/u128.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::guard {

class Demand {
 public:
  static constexpr Duration kSpan = milliseconds(100);
  // Requests a second: from kHot on tokens are taken ahead, below kQuiet no more.
  static constexpr std::uint64_t kHot = 150;
  static constexpr std::uint64_t kQuiet = 50;

  void note(std::uint64_t cost, Instant now) {
    if (now - since_ >= kSpan) roll(now);
    ++requests_;
    tokens_ = std::min(kMaxCount, detail::saturating_add(tokens_, cost));
    if (requests_ >= kHot / (seconds(1).ns / kSpan.ns)) hot_ = true;
  }

  bool hot() const { return hot_; }

  // What will be asked for within `ahead`, rounded up: as before, or as in this span if that is
  // more.
  std::uint64_t within(Duration ahead, Instant now) const {
    const std::uint64_t before = base::mul_div_ceil(token_rate_, ahead.ns, seconds(1).ns);
    const std::uint64_t span = std::max((now - since_).ns, kSpan.ns / 4);
    return std::max(before, base::mul_div_ceil(tokens_, ahead.ns, span));
  }

 private:
  void roll(Instant now) {
    const std::uint64_t span = (now - since_).ns;
    const std::uint64_t old = span < 2 * kSpan.ns ? 1 : 0;  // after a pause the past says nothing
    request_rate_ = mean(request_rate_, base::mul_div_floor(requests_, seconds(1).ns, span), old);
    token_rate_ = mean(token_rate_, base::mul_div_floor(tokens_, seconds(1).ns, span), old);
    hot_ = request_rate_ >= (hot_ ? kQuiet : kHot);
    since_ = now;
    requests_ = tokens_ = 0;
  }
  static std::uint64_t mean(std::uint64_t before, std::uint64_t now, std::uint64_t weight) {
    return (weight * before + now) / (weight + 1);
  }

  Instant since_;
  std::uint64_t requests_ = 0, tokens_ = 0;          // in this span
  std::uint64_t request_rate_ = 0, token_rate_ = 0;  // a second
  bool hot_ = false;
};

}  // namespace weir::guard
