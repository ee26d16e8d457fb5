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
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Reloader::request() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
  }
  wake_.notify_one();
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
  const std::string id = server_.engine().snapshot()->policy->id;
  if (!reloaded.adopted) {
    findings_.refused(reloaded.findings);
    host::log(LogLevel::error, "policy refused, the old one stays", {{"id", id}, {"why", why}});
    return;
  }
  findings_.adopted(reloaded.findings);
  host::log(LogLevel::info, "policy reloaded", {{"id", id}, {"why", why}});
  if (std::exchange(lint_due_, false)) {
    findings_.linted(lint_findings(server_.engine(), reloaded.findings, clock_.now().wall()));
  }
}

}  // namespace weir::serve
