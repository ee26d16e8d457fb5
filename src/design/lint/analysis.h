// Questions that several lint rules ask of a policy. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algo/numbers.h"
#include "policy/policy.h"
#include "weir/clock.h"

namespace weir::design::lint {

inline bool enforced(const policy::Limit& limit) { return limit.mode == policy::Mode::enforce; }
inline bool is_global(const policy::Limit& limit) { return limit.key.empty(); }
inline bool has_numbers(const policy::LimitNumbers& n) {
  return n.kind == policy::NumbersKind::numbers;
}

// A class the file declares, and not `default` or `malformed`.
bool declared(const policy::Policy& policy, std::size_t class_id);
// Some class is covered, and every class that is covered by any limit is by this one.
bool covers_every_limited_class(const policy::Policy& policy, const policy::Limit& limit);
// Every class that `b` covers, `a` covers too.
bool covers_all_of(const policy::Limit& a, const policy::Limit& b);
bool covered(const policy::Policy& policy, std::size_t class_id);  // by any limit that is not off

// The key has no part that anything but the address, the class or the whole world can fill.
bool by_address_only(const policy::Limit& limit);
// Callers can be told apart by who they are: accounts, or a key the gateway vouches for.
bool knows_callers(const policy::Policy& policy);

// a/b of the rate compared without rounding: -1, 0, 1.
int compare_rate(const algo::Numbers& a, const algo::Numbers& b);

// Where the numbers of a tier were typed, or the limit itself.
policy::Position where(const policy::Limit& limit, const policy::LimitNumbers& numbers);

std::string lower(std::string_view text);
std::string quoted(std::string_view name);  // `name`
// "`a`, `b` and 3 more"
std::string list(const std::vector<std::string>& names, std::size_t most = 3);

}  // namespace weir::design::lint
