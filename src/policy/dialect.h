// Which fields each dialect of `response.headers` sends: one table, read by the renderer and by
// whoever checks a policy. A new revision of the draft is one more row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace weir::policy {

// How the value of one field is made. "The limit" is the one that the row's Shown picks.
enum class FieldKind : std::uint8_t {
  policy_items,      // "burst";q=10;w=1, "daily";q=1000;w=86400
  limit_items,       // "burst";r=9;t=1, "daily";r=900;t=3600
  policy_quotas,     // 10;w=1, 1000;w=86400: no two with one quota, the longer window goes
  limit_and_quotas,  // 10, 10;w=1, 1000;w=86400
  limit_and_named,   // 10, 10;w=1;name="burst", 1000;w=86400;name="daily"
  limit_dictionary,  // limit=10, remaining=9, reset=1
  limit,             // 10
  remaining,         // 9
  used,              // 1
  reset_delta,       // seconds from now
  reset_epoch,       // Unix time
  reset_chosen,      // either, as `response.reset` says
  name,              // burst
  denied_flag,       // true, on a denial only
};

// Which limit a dialect with room for one shows on an admission: the policy's governing one, or the
// lowest remaining in absolute units, which the drafts before 08 ask for. A denial shows the
// denying limit with the longest wait.
enum class Shown : std::uint8_t { governing, lowest };

struct DialectField {
  std::string_view name;
  FieldKind kind;
};

struct DialectRow {
  Dialect dialect;
  std::string_view word;  // in `response.headers`
  Shown shown;
  std::size_t count;
  std::array<DialectField, 5> all;

  constexpr std::span<const DialectField> fields() const { return {all.data(), count}; }
};

inline constexpr std::array<DialectRow, 9> kDialects{{
    {Dialect::draft_11,
     "ietf",
     Shown::governing,
     2,
     {{{"RateLimit-Policy", FieldKind::policy_items}, {"RateLimit", FieldKind::limit_items}}}},
    {Dialect::draft_03,
     "ietf-03",
     Shown::lowest,
     3,
     {{{"RateLimit-Limit", FieldKind::limit_and_quotas},
       {"RateLimit-Remaining", FieldKind::remaining},
       {"RateLimit-Reset", FieldKind::reset_delta}}}},
    {Dialect::draft_06,
     "ietf-06",
     Shown::lowest,
     4,
     {{{"RateLimit-Policy", FieldKind::policy_quotas},
       {"RateLimit-Limit", FieldKind::limit},
       {"RateLimit-Remaining", FieldKind::remaining},
       {"RateLimit-Reset", FieldKind::reset_delta}}}},
    {Dialect::draft_07,
     "ietf-07",
     Shown::lowest,
     2,
     {{{"RateLimit-Policy", FieldKind::policy_quotas},
       {"RateLimit", FieldKind::limit_dictionary}}}},
    {Dialect::fields,
     "fields",
     Shown::governing,
     3,
     {{{"RateLimit-Limit", FieldKind::limit},
       {"RateLimit-Remaining", FieldKind::remaining},
       {"RateLimit-Reset", FieldKind::reset_chosen}}}},
    {Dialect::envoy,
     "envoy",
     Shown::lowest,
     4,
     {{{"x-ratelimit-limit", FieldKind::limit_and_named},
       {"x-ratelimit-remaining", FieldKind::remaining},
       {"x-ratelimit-reset", FieldKind::reset_delta},
       {"x-envoy-ratelimited", FieldKind::denied_flag}}}},
    {Dialect::x_ratelimit,
     "x-ratelimit",
     Shown::governing,
     3,
     {{{"x-ratelimit-limit", FieldKind::limit},
       {"x-ratelimit-remaining", FieldKind::remaining},
       {"x-ratelimit-reset", FieldKind::reset_chosen}}}},
    {Dialect::github,
     "github",
     Shown::governing,
     5,
     {{{"x-ratelimit-limit", FieldKind::limit},
       {"x-ratelimit-remaining", FieldKind::remaining},
       {"x-ratelimit-used", FieldKind::used},
       {"x-ratelimit-reset", FieldKind::reset_epoch},
       {"x-ratelimit-resource", FieldKind::name}}}},
    {Dialect::twitter,
     "twitter",
     Shown::governing,
     3,
     {{{"x-rate-limit-limit", FieldKind::limit},
       {"x-rate-limit-remaining", FieldKind::remaining},
       {"x-rate-limit-reset", FieldKind::reset_epoch}}}},
}};

inline const DialectRow& row_of(Dialect dialect) {
  for (const DialectRow& row : kDialects) {
    if (row.dialect == dialect) return row;
  }
  return kDialects[0];
}

// Names that two dialects of the list would send with different meanings ("RateLimit" of ietf and
// ietf-07). A policy should not ask for both; the renderer sends what comes first.
std::vector<std::string> header_conflicts(const std::vector<Dialect>& dialects, bool reset_epoch);

}  // namespace weir::policy
