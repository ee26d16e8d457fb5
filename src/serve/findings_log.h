// What is wrong with a policy, as lines of the log: one a finding.
//
//   FindingsLog log;
//   log.adopted(opened.findings);
//   log.linted(lint_findings(server.engine(), opened.findings, clock.now().wall()));
//   log.refused(reloaded.findings);
//
// What was logged of the policy in force is not logged again when a reload finds the same. After
// fifty lines one says how many are left out. Not thread-safe: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "decide/engine.h"
#include "policy/position.h"
#include "weir/clock.h"

namespace weir::serve {

class FindingsLog {
 public:
  // Every one of them.
  void refused(const policy::Findings& findings);
  // Of the loader, and of lint: those that were not logged of the policy before.
  void adopted(const policy::Findings& findings);
  void linted(const policy::Findings& findings);

 private:
  using Lines = std::vector<std::string>;
  static void log_new(const policy::Findings& findings, Lines& known);

  Lines adopted_;
  Lines linted_;
};

// The errors and warnings of `weir lint` about the policy in force, but those by a code that
// `loaded` has. A policy that serves is never refused for them.
policy::Findings lint_findings(const decide::Engine& engine, const policy::Findings& loaded,
                               Instant now);

}  // namespace weir::serve
