// A policy with its accounts, ready to decide: what a reload swaps as one.
//
// Immutable once published; holders keep it alive by shared_ptr.
#pragma once

#include <memory>

#include "identity/accounts.h"
#include "policy/policy.h"

namespace weir::decide {

struct Snapshot {
  std::shared_ptr<const policy::Policy> policy;
  std::shared_ptr<const identity::Accounts> accounts;  // null: the policy names no accounts file
};

}  // namespace weir::decide
