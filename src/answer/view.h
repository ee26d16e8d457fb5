// The input of an answer, taken out of a policy and a decision: names and numbers, no ids.
//
// answer may not include decide (the arrows of docs/architecture.md); serve and cli fill a View
// from a Decision (serve/view.h). All views live as long as the policy they were taken from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "policy/policy.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::answer {

// One enforced limit with numbers (or `deny`): shadow, off and unlimited ones are in no header.
struct LimitView {
  std::string_view name;
  std::string_view unit;  // "requests"
  Algorithm algorithm = Algorithm::token_bucket;
  std::uint64_t quota = 0;  // q: burst or the window's limit
  Duration window;          // w: the window, or burst/rate
  std::uint64_t cost = 1;
  Outcome outcome;
  std::uint32_t warned_ppm = 0;
  std::uint64_t upgrade_quota = 0;  // the next public tier's quota for this limit, 0 none
  bool unlimited_above = false;     // the next public tier is unlimited here
  std::uint16_t file_order = 0;     // policy::LimitId: lists name limits in the order of the file
};

struct View {
  const policy::Response* response = nullptr;
  bool admit = true;
  bool skipped = false;
  bool degraded = false;
  Reason reason = Reason::admitted;
  std::uint16_t status = 200;
  Duration retry_after;  // Duration::max(): no Retry-After
  Now now;
  std::uint64_t key_hash = 0;  // seeds the jitter: the same caller gets the same
  std::string_view class_name;
  std::string_view tier_name;
  std::string_view account;
  std::string_view
      upgrade_label;  // the next public tier where it is higher and has a url; or empty
  std::string_view upgrade_url;
  std::size_t governing = ~std::size_t{0};  // index into limits
  std::size_t count = 0;
  std::array<LimitView, 16> verdicts;
  std::span<const LimitView> limits() const { return {verdicts.data(), count}; }
};

}  // namespace weir::answer
