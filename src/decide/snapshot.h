// A policy with its accounts, ready to decide: what a reload swaps as one.
//
// Immutable once published; holders keep it alive by shared_ptr.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "decide/plan.h"
#include "identity/accounts.h"
#include "identity/counter_key.h"
#include "policy/policy.h"
#include "store/store.h"

namespace weir::decide {

struct Snapshot {
  // For decisions by this store, which has given `p` its slots and keys.
  Snapshot(std::shared_ptr<const policy::Policy> p, std::shared_ptr<const identity::Accounts> a,
           const store::Store& store);

  std::shared_ptr<const policy::Policy> policy;
  std::shared_ptr<const identity::Accounts> accounts;  // null: the policy names no accounts file
  Plans plans;
  // Classes that name no path, only attributes: classification asks them besides the route table.
  std::vector<policy::ClassId> by_attribute;
  identity::KeyHasher caller_start;  // where the hash of a caller begins
  // Where `store::Charge::tag` begins; none: the store has no use for tags.
  std::optional<identity::KeyHasher> tag_start;
};

}  // namespace weir::decide
