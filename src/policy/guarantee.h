// Guarantees, proved or refuted from the envelopes of the limits.
//
//   GuaranteeProof proof = prove(policy, policy.guarantees[0]);
//   proof.text   // "search-downstream: 200 + 200/s x 1s = 400 <= 400"
//
// A guarantee holds when one enforced limit with key [] that covers all its classes, in its unit,
// has an envelope over a half-open interval of its window that is at most its `max`. The counter of
// such a limit is everyone's, so its numbers must not depend on the caller: all tiers alike (`deny`
// adds nothing), or, for windows of one length, the largest limit counts. With `prefetch` the
// envelope grows by what all instances together may hold unspent. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/policy.h"

namespace weir::policy {

struct GuaranteeProof {
  bool proved = false;
  std::uint64_t bound = ~std::uint64_t{0};  // the most in any window; all ones: nothing bounds it
  std::optional<LimitId> limit;             // whose envelope that is
  std::string text;                         // the arithmetic, or why there is none
};

// What `instances` of a policy may hold of one counter, taken ahead and unspent; 0: nothing is.
std::uint64_t most_unspent(const Policy& policy, const Limit& limit, const algo::Numbers& numbers);

GuaranteeProof prove(const Policy& policy, const Guarantee& guarantee);

}  // namespace weir::policy
