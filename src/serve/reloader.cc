#include "serve/reloader.h"

#include <sys/resource.h>

#include <utility>

#include "host/log.h"

namespace weir::serve {

namespace {

using host::LogLevel;

// Of the calling thread only: on Linux `who` 0 is the thread. Still a share of a busy machine
// (SCHED_IDLE would be none), so that a reload under full load ends.
void give_way() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
}

}  // namespace

Reloader::Reloader(Server& server, Clock& clock, const ReloaderOptions& options,
                   FindingsLog findings)
    : server_(server), clock_(clock), options_(options), findings_(std::move(findings)) {
  watch_.reset(files());
  thread_ = std::thread([this] { run(); });
}

Reloader::~Reloader() {
  stop();
  thread_.join();
}

void Reloader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    server_.engine().end_reloads();
  }
  wake_.notify_all();
}

bool Reloader::ended_within(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return wake_.wait_for(lock, patience, [this] { return ended_; });
}

void Reloader::request() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
  }
  wake_.notify_all();
}

std::vector<std::string> Reloader::files() const {
  std::vector<std::string> files{server_.engine().file()};
  const std::string accounts = server_.engine().snapshot()->policy->accounts_file;
  if (!accounts.empty()) files.push_back(accounts);
  return files;
}

void Reloader::run() {
  give_way();
  while (const char* why = wait()) {
    look_and_reload(why);
    // A policy that names another accounts file: it was not looked at before it was read.
    if (files() != watch_.paths()) look_and_reload("other accounts");
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  wake_.notify_all();
}

const char* Reloader::wait() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto called = [this] { return requested_ || stopping_; };
    if (options_.watch) {
      wake_.wait_for(lock, options_.poll, called);
    } else {
      wake_.wait(lock, called);
    }
    if (stopping_) return nullptr;
    if (requested_) {
      requested_ = false;
      return "SIGHUP";
    }
    if (watch_.changed()) return "file changed";
  }
}

void Reloader::look_and_reload(const char* why) {
  lint_due_ |= watch_.reset(files());
  reload(why);
}

void Reloader::reload(const char* why) {
  const decide::Engine::Reloaded reloaded = server_.reload();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    reloaded.adopted ? adopted(reloaded.findings, why) : refused(reloaded.findings, why);
  }
  if (!reloaded.adopted || !std::exchange(lint_due_, false)) return;
  const policy::Findings lint =
      lint_findings(server_.engine(), reloaded.findings, clock_.now().wall());
  const std::lock_guard lock(mutex_);
  if (!stopping_) findings_.linted(lint);
}

void Reloader::refused(const policy::Findings& findings, const char* why) {
  findings_.refused(findings);
  host::log(LogLevel::error, "policy refused, the old one stays",
            {{"id", server_.engine().snapshot()->policy->id}, {"why", why}});
}

void Reloader::adopted(const policy::Findings& findings, const char* why) {
  findings_.adopted(findings);
  host::log(LogLevel::info, "policy reloaded",
            {{"id", server_.engine().snapshot()->policy->id}, {"why", why}});
}

}  // namespace weir::serve
