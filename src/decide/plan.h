// What can be said of a decision before there is a request: for each class and tier the limits that
// count, in charging order, each with its numbers, its cost and all of its key but the caller.
//
//   const ClassPlan& plan = snapshot.plans.of(class_id);
//   for (const Planned& limit : plan.tiers[tier]) ...
//
// Made when a policy is adopted, then immutable; it points into that policy, which outlives it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/digest.h"
#include "policy/policy.h"
#include "weir/clock.h"

namespace weir::decide {

// One limit that covers a class.
struct Planned {
  // With the numbers that apply, the tier's or others, and the cost. False: it counts nothing.
  bool apply(const policy::LimitNumbers& with, std::uint64_t at_cost);

  const policy::Limit* limit = nullptr;
  const policy::LimitNumbers* numbers = nullptr;
  base::Digest key;  // the class's part, where the limit counts by class; applied: the limit's too
  std::uint64_t cost = 0;
  Duration hold;
  policy::LimitId id = 0;
  // Limits of one number count by the same parts of the caller, and have the same on_missing.
  std::uint16_t who = kEverybody;
  policy::Stage stage = policy::Stage::post_auth;
  policy::Mode mode = policy::Mode::enforce;
  bool prefetch = false;
  bool from_override = false;

  static constexpr std::uint16_t kEverybody = 0;  // no part of the caller
};

struct ClassPlan {
  std::vector<Planned> covering;  // not applied: for requests that bring numbers or costs
  std::vector<std::vector<Planned>> tiers;
  bool has_overrides = false;  // of a limit: whom they are for is seen at each request
};

class Plans {
 public:
  // `policy` has its slots and keys.
  Plans(const policy::Policy& policy, const base::HashSecret& secret);

  const ClassPlan& of(policy::ClassId c) const { return classes_[c]; }

 private:
  std::vector<ClassPlan> classes_;
};

}  // namespace weir::decide
