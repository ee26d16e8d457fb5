// What a lint rule is given, and where it reports.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "decide/snapshot.h"
#include "design/lint/key_positions.h"
#include "policy/policy.h"
#include "policy/position.h"
#include "weir/clock.h"

namespace weir::design::lint {

struct Context {
  const decide::Snapshot& snapshot;
  const policy::Policy& policy;
  const KeyPositions& keys;
  Instant now;  // Unix time
};

// Collects the findings of one rule, with the rule's code, severity and help.
class Report {
 public:
  Report(policy::Findings& findings, policy::Finding blank)
      : findings_(findings), blank_(std::move(blank)) {}

  void add(policy::Position at, std::string message) {
    add(blank_.severity, at, std::move(message));
  }
  // In another file than the policy: the accounts.
  void add_in(const std::string& file, policy::Position at, std::string message) {
    add(at, std::move(message));
    findings_.back().file = file;
  }
  void add(policy::Severity severity, policy::Position at, std::string message) {
    policy::Finding finding = blank_;
    finding.severity = severity;
    finding.at = at;
    finding.message = std::move(message);
    findings_.push_back(std::move(finding));
  }

 private:
  policy::Findings& findings_;
  policy::Finding blank_;
};

}  // namespace weir::design::lint
