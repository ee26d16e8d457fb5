#include "serve/run.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <iostream>
#include <string>
#include <utility>

#include "host/log.h"
#include "serve/findings_log.h"
#include "serve/reloader.h"
#include "serve/server.h"
#include "serve/start_guard.h"
#include "serve/store_watch.h"

namespace weir::serve {

namespace {

using host::LogLevel;

constexpr int kDone = 0;
constexpr int kCouldNotStart = 2;
// For a reload at hand to notice that it is not wanted any more.
constexpr std::chrono::milliseconds kLastWait{100};

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// A connection is a file: takes as many as the hard limit allows, and says where that is too few.
void raise_file_limit(std::size_t connections) {
  constexpr std::size_t kOwnFiles = 64;  // listeners, loops, logs
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const std::size_t wanted = connections + kOwnFiles;
  if (files.rlim_cur >= wanted) return;
  host::log(LogLevel::warning, "too few file descriptors, connections beyond them will wait",
            {{"limit", std::to_string(files.rlim_cur)}, {"wanted", std::to_string(wanted)}});
}

// Whoever started it reads the ports there; where that fails, the log has them.
void say_where(const Server& server) {
  const std::string http = net::to_text(server.endpoint());
  const std::string admin = net::to_text(server.admin_endpoint());
  errno = 0;
  std::cout << "listening http " << http << "\nlistening admin " << admin << std::endl;
  if (std::cout) return;
  host::log(LogLevel::error, "standard output cannot be written, the addresses listened on",
            {{"http", http}, {"admin", admin}, {"error", std::strerror(errno)}});
}

// Until a signal says to stop; once a second on the way what is buffered is flushed, and the store
// is looked at.
int wait_for_stop(Server& server, Reloader& reloader, const sigset_t& signals) {
  constexpr timespec kSecond{1, 0};
  StoreWatch watch(server.engine().store());
  for (;;) {
    const int signal = sigtimedwait(&signals, nullptr, &kSecond);
    if (signal == SIGHUP) {
      reloader.request();
    } else if (signal == SIGTERM || signal == SIGINT) {
      return signal;
    } else if (errno == EAGAIN) {
      server.flush();
      watch.look();
    }
  }
}

}  // namespace

int run(const ServeOptions& options) {
  const auto level = host::parse_log_level(options.log_level);
  if (!level) {
    std::cerr << "weir serve: --log-level: " << level.error().message << "\n";
    return kCouldNotStart;
  }
  host::set_log_level(*level);
  // Before any thread exists: all of them inherit the mask, so that signals come here.
  const sigset_t signals = set_of({SIGHUP, SIGTERM, SIGINT});
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  raise_file_limit(options.limits.max_connections);

  static SystemClock clock;
  StartGuard guard(set_of({SIGTERM, SIGINT}));
  Server::Opened opened = Server::open(options, clock);
  guard.release();
  if (!opened.server) {
    for (const policy::Finding& finding : opened.findings) std::cerr << finding.text() << "\n";
    if (opened.error) std::cerr << "weir serve: " << opened.error->text() << "\n";
    return kCouldNotStart;
  }
  Server& server = *opened.server;
  FindingsLog findings;
  findings.adopted(opened.findings);
  server.start();
  say_where(server);
  host::log(LogLevel::info, "serving",
            {{"policy", options.policy_file}, {"id", server.engine().snapshot()->policy->id}});

  Reloader reloader(server, clock, {.watch = options.watch}, std::move(findings),
                    std::move(opened.findings));
  const int signal = wait_for_stop(server, reloader, signals);
  host::log(LogLevel::info, "draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  reloader.stop();
  server.stop();
  host::log(LogLevel::info, "stopped");
  // A reload that still reads or compiles, for seconds maybe, is not waited for. What the server
  // had to write is written.
  if (!reloader.ended_within(kLastWait)) ::_exit(kDone);
  return kDone;
}

}  // namespace weir::serve
