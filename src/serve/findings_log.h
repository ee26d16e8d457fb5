// What is wrong with a policy, as lines of the log: one a finding.
//
//   log_findings(reloaded.findings);
//   log_lint(server.engine(), reloaded.findings, clock.now().wall());
//
// After fifty lines one says how many are left out. Thread-safe.
#pragma once

#include "decide/engine.h"
#include "policy/position.h"
#include "weir/clock.h"

namespace weir::serve {

void log_findings(const policy::Findings& findings);

// The errors and warnings of `weir lint` about the policy in force, but those by a code that
// `loaded` has. A policy that serves is never refused for them.
void log_lint(const decide::Engine& engine, const policy::Findings& loaded, Instant now);

}  // namespace weir::serve
