// Ends the process at SIGTERM or SIGINT while it starts: nothing is served yet, so nothing is
// drained, and a policy that takes seconds to read or compile is not waited for.
//
//   sigset_t stop = ...;                   // SIGTERM, SIGINT: blocked, before any thread exists
//   StartGuard guard(stop);
//   Server::Opened opened = Server::open(options, clock);
//   guard.release();                       // from here on a signal is the caller's
//
// A thread of its own, which ends in `release` or the destructor. The exit code is 0, as of a stop
// later on; no destructor runs.
#pragma once

#include <signal.h>

#include <thread>

namespace weir::serve {

class StartGuard {
 public:
  explicit StartGuard(const sigset_t& stop);
  ~StartGuard() { release(); }
  StartGuard(const StartGuard&) = delete;
  StartGuard& operator=(const StartGuard&) = delete;

  void release();

 private:
  void watch() const;

  int signals_;  // -1, as `released_`: no descriptor was free, and a signal waits for `release`
  int released_;
  std::thread thread_;
};

}  // namespace weir::serve
