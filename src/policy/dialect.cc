#include "policy/dialect.h"

#include <algorithm>

namespace weir::policy {
namespace {

// Resets are told apart by what they say under the policy's `reset`.
FieldKind settled(FieldKind kind, bool reset_epoch) {
  if (kind != FieldKind::reset_chosen) return kind;
  return reset_epoch ? FieldKind::reset_epoch : FieldKind::reset_delta;
}

}  // namespace

std::vector<std::string> header_conflicts(const std::vector<Dialect>& dialects, bool reset_epoch) {
  std::vector<DialectField> sent;
  std::vector<std::string> found;
  for (const Dialect dialect : dialects) {
    for (const DialectField& field : row_of(dialect).fields()) {
      const FieldKind kind = settled(field.kind, reset_epoch);
      const auto earlier = std::find_if(sent.begin(), sent.end(), [&](const DialectField& other) {
        return other.name == field.name;
      });
      if (earlier == sent.end()) {
        sent.push_back({field.name, kind});
      } else if (earlier->kind != kind &&
                 std::find(found.begin(), found.end(), field.name) == found.end()) {
        found.emplace_back(field.name);
      }
    }
  }
  return found;
}

}  // namespace weir::policy
