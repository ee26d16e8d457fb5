// How `weir serve` runs: what its command line says.
#pragma once

#include <chrono>
#include <string>

#include "net/http_limits.h"

namespace weir::serve {

struct ServeOptions {
  std::string policy_file;
  std::string listen = "127.0.0.1:8080";
  std::string admin = "127.0.0.1:8090";
  unsigned threads = 0;  // event loops of the decision listener; 0: one a core
  net::ConnectionLimits limits = {};
  // Every decision as a line of JSON in this file (decision_log.h); forces one event loop, so that
  // the lines are in the order of the decisions. Empty: none.
  std::string decision_log = {};
  std::string log_level = "info";
  bool watch = true;  // reload when the policy or its accounts change; else on SIGHUP only
  std::chrono::milliseconds drain{10'000};  // how long a stop waits for requests in flight
};

}  // namespace weir::serve
