#include "decide/classify.h"

#include <algorithm>
#include <string_view>

#include "policy/route.h"
#include "policy/segments.h"

namespace weir::decide {
namespace {

using policy::ClassId;

bool holds_all(const policy::Class& c, identity::Caller& caller) {
  return std::all_of(c.when.begin(), c.when.end(), [&](const auto& condition) {
    return caller.holds(condition.first, condition.second);
  });
}

// The class the path leads to, passing over classes whose `when` does not hold.
[[gnu::always_inline]] inline ClassId by_path(const policy::Policy& policy,
                                              const identity::Facts& facts,
                                              identity::Caller& caller) {
  if (facts.target.empty()) return policy.default_class();
  policy::Segments path;
  if (!policy.routes.cut(facts.target, path)) return policy.malformed_class();
  std::uint32_t from = 0;
  while (const auto match = policy.routes.match(facts.method, path, from)) {
    if (holds_all(policy.classes[match->class_id], caller)) return match->class_id;
    from = match->order + 1;
  }
  return policy.default_class();
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool equals_ignoring_case(std::string_view a, std::string_view lower_case) {
  return a.size() == lower_case.size() && std::equal(a.begin(), a.end(), lower_case.begin(),
                                                     [](char x, char y) { return lower(x) == y; });
}

}  // namespace

ClassId classify(const Snapshot& snapshot, const identity::Facts& facts, identity::Caller& caller) {
  const policy::Policy& policy = *snapshot.policy;
  const ClassId routed = by_path(policy, facts, caller);
  for (const ClassId c : snapshot.by_attribute) {
    if (c > routed) break;
    if (holds_all(policy.classes[c], caller)) return c;
  }
  return routed;
}

bool is_preflight(const identity::Facts& facts) {
  if (facts.method != "OPTIONS") return false;
  bool origin = false;
  bool asks_method = false;
  for (const identity::Field& h : facts.headers) {
    origin = origin || equals_ignoring_case(h.name, "origin");
    asks_method = asks_method || equals_ignoring_case(h.name, "access-control-request-method");
  }
  return origin && asks_method;
}

}  // namespace weir::decide
