// A policy with its accounts, ready to decide: what a reload swaps as one.
//
// Immutable once published; holders keep it alive by shared_ptr.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/siphash.h"
#include "identity/accounts.h"
#include "policy/policy.h"

namespace weir::decide {

struct Snapshot {
  Snapshot(std::shared_ptr<const policy::Policy> p, std::shared_ptr<const identity::Accounts> a);

  std::shared_ptr<const policy::Policy> policy;
  std::shared_ptr<const identity::Accounts> accounts;  // null: the policy names no accounts file
  // Classes that name no path, only attributes: classification asks them besides the route table.
  std::vector<policy::ClassId> by_attribute;
  // Where `store::Charge::tag` begins; none: the store has no use for tags.
  std::optional<base::SipHasher<1, 3>> tag_start;
};

}  // namespace weir::decide
