// Reloads the policy and its accounts in the background: when asked to, or when a file changed.
//
//   Reloader reloader(server, clock, {});
//   reloader.request();   // SIGHUP
//
// What is read, refused and newly found is logged; what lint says, where a file changed. Its thread
// gives way to the event loops: a reload takes whole milliseconds of a core, which requests would
// wait for. Requests that come during a reload are one more reload after it. Thread-safe. The
// destructor waits for a reload at hand, after `stop` one that adopts and logs nothing; server and
// clock outlive it.
//
// A reload that failed for a reason that may pass (no free descriptor or memory, a file that is
// being replaced) is tried again, watching or not, after a pause that doubles from try to try. It
// is logged once, and again when it has another end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/file_watch.h"
#include "serve/findings_log.h"
#include "serve/server.h"
#include "weir/clock.h"

namespace weir::serve {

struct ReloaderOptions {
  bool watch = true;  // the policy file and its accounts file
  // A change is adopted once it has rested for this long, at most twice this after it was made.
  std::chrono::milliseconds poll{500};
  // Before the second try of a reload that failed for a passing reason, and before any later one.
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{30'000};
};

class Reloader {
 public:
  // `findings`: what was logged of the policy in force. `unlinted`: what its loading found, where
  // it is to be linted first.
  Reloader(Server& server, Clock& clock, const ReloaderOptions& options, FindingsLog findings = {},
           std::optional<policy::Findings> unlinted = {});
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  void request();
  // From now on nothing is adopted or logged, of a reload at hand neither. Does not wait for it.
  void stop();
  // After `stop`: whether the reload at hand is over.
  bool ended_within(std::chrono::milliseconds patience);

 private:
  using Waiting = std::chrono::steady_clock;

  void run();
  // Until there is a reason to reload; null: stop.
  const char* wait();
  void sleep(std::unique_lock<std::mutex>& lock);
  void reload(const char* why);
  void lint(const policy::Findings& loaded);
  // Under the mutex, so that nothing is logged after `stop`.
  void refused(const policy::Findings& findings, const char* why);
  void adopted(const policy::Findings& findings, const char* why);
  void plan_next_try(const char* why);
  void look_and_reload(const char* why);
  std::vector<std::string> files() const;

  Server& server_;
  Clock& clock_;
  const ReloaderOptions options_;
  FileWatch watch_;
  FindingsLog findings_;
  const std::optional<policy::Findings> unlinted_;
  bool lint_due_ = false;                        // the files changed since they were last linted
  std::optional<Waiting::time_point> next_try_;  // the last reload failed for a passing reason
  std::chrono::milliseconds pause_{0};           // before it
  std::mutex mutex_;
  std::condition_variable wake_;
  bool requested_ = false;
  bool stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace weir::serve
