// Does a policy keep a guarantee? The arithmetic, for lint and `weir explain`.
//
//   Proof p = prove(policy, guarantee, accounts);
//   if (!p.proved) print(p.arithmetic);   // "global: 100 + 100/s x 1s = 200 > 150"
//
// What bounds a class over an interval is the smallest envelope A(window) of the enforced limits
// with key `global` that charge it in the guarantee's unit whoever calls. A guarantee over several
// classes is bounded by one limit that covers all of them, or by the sum of those that cover each.
// A limit whose numbers depend on the caller bounds nothing here: its counter mixes them. Pure;
// thread-safe; costs limits x classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decide/snapshot.h"
#include "policy/policy.h"

namespace weir::design {

struct Proof {
  bool proved = false;
  std::uint64_t bound = ~std::uint64_t{0};  // the most in any window; all ones: unbounded
  std::vector<policy::LimitId> limits;      // what bounds it
  std::string arithmetic;
};

Proof prove(const decide::Snapshot& snapshot, const policy::Guarantee& guarantee);

// The limits that could bound all classes of a guarantee, whether or not they are tight enough.
std::vector<policy::LimitId> covering_limits(const decide::Snapshot& snapshot,
                                             const policy::Guarantee& guarantee);

// "100 + 100/s x 1s = 200": the envelope of one set of numbers over `window`, as a sum.
std::string envelope_arithmetic(const algo::Numbers& numbers, Duration window);

}  // namespace weir::design
