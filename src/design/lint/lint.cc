#include "design/lint/lint.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "design/lint/catalogue.h"
#include "design/lint/context.h"
#include "design/lint/key_positions.h"

namespace weir::design::lint {

policy::Findings run(const decide::Snapshot& snapshot, std::string_view text, Instant now) {
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
  std::stable_sort(findings.begin(), findings.end(),
                   [](const policy::Finding& a, const policy::Finding& b) {
                     return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
                   });
  return findings;
}

}  // namespace weir::design::lint
