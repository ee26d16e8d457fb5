// What the owner says about a Redis: the `store:` of a policy. Plain values.
#pragma once

#include <cstddef>
#include <string>

#include "base/digest.h"
#include "redis/breaker.h"
#include "weir/clock.h"
#include "weir/result.h"

namespace weir::redis {

struct Options {
  std::string url;                      // of a server, of Sentinels or of a cluster (url.h)
  std::string username, password;       // where not empty, in place of the URL's
  std::string tls_ca;                   // files in PEM; no ca: the system's certificates
  std::string tls_cert, tls_key;        // this client's own, both or neither
  Duration timeout = milliseconds(15);  // of one whole decision; 1 ms to 1 minute
  unsigned connections = 4;             // at most this many sockets to a server; 1 to 64
  std::string prefix = "weir";          // of every key
  base::HashSecret secret;              // the same on every instance
  using Breaker = BreakerNumbers;
  Breaker breaker;
  std::size_t max_waiting = 65'536;  // requests queued or in flight; more fail at once
  // For tests: the script takes the `Now` of each call for the time, not the server's own.
  bool given_time = false;
};

// What cannot work whatever the server says. `where` of the error is the key: store.url, ...
Result<void> check(const Options& options);

}  // namespace weir::redis
