#include "design/lint/lint.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "design/lint/catalogue.h"
#include "design/lint/context.h"
#include "design/lint/key_positions.h"

namespace weir::design::lint {
namespace {

bool known(const policy::Findings& loaded, const policy::Finding& f) {
  return std::any_of(loaded.begin(), loaded.end(), [&](const policy::Finding& other) {
    return other.code == f.code && other.file == f.file;
  });
}

}  // namespace

policy::Findings run(const decide::Snapshot& snapshot, std::string_view text, Instant now,
                     const policy::Findings& loaded) {
  const KeyPositions keys(text);
  const Context context{snapshot, *snapshot.policy, keys, now};
  policy::Findings findings;
  for (const Rule& rule : catalogue()) {
    if (rule.check == nullptr) continue;
    policy::Finding blank;
    blank.severity = rule.severity;
    blank.code = rule.code;
    blank.file = snapshot.policy->file;
    blank.help = rule.help;
    Report report(findings, std::move(blank));
    rule.check(context, report);
  }
  std::erase_if(findings, [&](const policy::Finding& f) { return known(loaded, f); });
  std::stable_sort(findings.begin(), findings.end(),
                   [](const policy::Finding& a, const policy::Finding& b) {
                     return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
                   });
  return findings;
}

}  // namespace weir::design::lint
