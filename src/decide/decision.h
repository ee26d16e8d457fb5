// What was decided about one request, in ids: made by Decider::check, read by answer and serve.
//
// A value of fixed size: no member owns memory. Views point into the policy and accounts it was
// made with, so keep the Snapshot (engine.h) as long as the Decision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algo/numbers.h"
#include "base/digest.h"
#include "policy/policy.h"
#include "store/store.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::decide {

// One limit that matched.
struct LimitVerdict {
  policy::LimitId limit = 0;
  policy::Mode mode = policy::Mode::enforce;
  std::uint64_t cost = 1;
  const policy::LimitNumbers* numbers = nullptr;  // deny: outcome only; unlimited: not listed
  bool shared = false;                            // counted by a shared address
  bool from_override = false;                     // policy override or the account's own numbers
  base::Digest key;
  std::uint16_t slot = 0;
  Outcome outcome;
  bool failed = false;           // nobody counted it: the failure policy's word alone
  std::uint32_t warned_ppm = 0;  // the highest warn_at threshold that usage has reached; 0: none

  // What the store applied; null for `deny`.
  const algo::Numbers* applied() const {
    if (numbers == nullptr || numbers->kind != policy::NumbersKind::numbers) return nullptr;
    return shared ? &numbers->shared : &numbers->numbers;
  }
};

inline constexpr std::size_t kNoLimit = ~std::size_t{0};

struct Decision {
  bool admit = true;
  bool peek = false;
  bool skipped = false;   // exempt class or CORS preflight: no limit was asked
  bool degraded = false;  // a failure policy decided, at least in part
  Reason reason = Reason::admitted;
  std::uint16_t status = 200;  // 200, 429 or 503
  policy::ClassId class_id = 0;
  policy::TierId tier = 0;
  std::string_view account;  // empty: none
  Now now;                   // the instant the store used
  // Denied: the longest wait of the enforced limits that denied; max(): never.
  Duration retry_after;
  Duration delay;                    // admitted through a leaky_bucket: wait this long first
  std::size_t governing = kNoLimit;  // index into limits()
  std::size_t count = 0;
  std::array<LimitVerdict, store::kMaxCharges> verdicts;  // in charging order

  std::span<const LimitVerdict> limits() const { return {verdicts.data(), count}; }
};

}  // namespace weir::decide
