// `weir serve`, after its command line is read.
//
// Loads the policy, listens, prints `listening http ADDR:PORT` and `listening admin ADDR:PORT` on
// stdout, and serves until SIGTERM or SIGINT, which drain. SIGHUP, and a change of the policy's or
// the accounts' file, reload both. Returns the exit code: 0 drained, 2 could not start (findings
// and errors on stderr).
#pragma once

#include "serve/options.h"

namespace weir::serve {

int run(const ServeOptions& options);

}  // namespace weir::serve
