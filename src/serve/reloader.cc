#include "serve/reloader.h"

#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <string_view>
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

constexpr std::string_view kTriedAgain = "tried again";

bool may_pass(const policy::Findings& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const policy::Finding& f) {
    return f.passing || f.severity != policy::Severity::error;
  });
}

// A reload for which there is not enough memory changes nothing, as one that finds mistakes.
decide::Engine::Reloaded try_reload(Server& server) {
  try {
    return server.reload();
  } catch (const std::bad_alloc&) {
    policy::Finding finding;
    finding.file = server.engine().file();
    finding.message = "there is not enough memory to load it";
    finding.passing = true;
    return {false, {std::move(finding)}};
  }
}

}  // namespace

Reloader::Reloader(Server& server, Clock& clock, const ReloaderOptions& options,
                   FindingsLog findings, std::optional<policy::Findings> unlinted)
    : server_(server),
      clock_(clock),
      options_(options),
      findings_(std::move(findings)),
      unlinted_(std::move(unlinted)) {
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
  if (unlinted_) lint(*unlinted_);
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
    sleep(lock);
    if (stopping_) return nullptr;
    if (requested_) {
      requested_ = false;
      return "SIGHUP";
    }
    if (options_.watch && watch_.changed()) return "file changed";
    if (next_try_ && Waiting::now() >= *next_try_) return kTriedAgain.data();
  }
}

// Until there may be something to do. Who watches looks every poll, and not earlier: a change is
// one that has rested so long.
void Reloader::sleep(std::unique_lock<std::mutex>& lock) {
  const auto called = [this] { return requested_ || stopping_; };
  if (options_.watch) {
    wake_.wait_for(lock, options_.poll, called);
  } else if (next_try_) {
    wake_.wait_until(lock, *next_try_, called);
  } else {
    wake_.wait(lock, called);
  }
}

void Reloader::look_and_reload(const char* why) {
  lint_due_ |= watch_.reset(files());
  reload(why);
}

void Reloader::reload(const char* why) {
  const decide::Engine::Reloaded reloaded = try_reload(server_);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    reloaded.adopted ? adopted(reloaded.findings, why) : refused(reloaded.findings, why);
  }
  if (reloaded.adopted && std::exchange(lint_due_, false)) lint(reloaded.findings);
}

void Reloader::lint(const policy::Findings& loaded) {
  const policy::Findings found = lint_findings(server_.engine(), loaded, clock_.now().wall());
  const std::lock_guard lock(mutex_);
  if (!stopping_) findings_.linted(found);
}

void Reloader::refused(const policy::Findings& findings, const char* why) {
  const bool again = may_pass(findings);
  const bool known = again && why == kTriedAgain;
  if (again) {
    plan_next_try(why);
  } else {
    next_try_.reset();
  }
  if (known) return;
  findings_.refused(findings);
  host::log(LogLevel::error,
            again ? "policy not read, the old one stays, it is tried again"
                  : "policy refused, the old one stays",
            {{"id", server_.engine().snapshot()->policy->id}, {"why", why}});
}

void Reloader::plan_next_try(const char* why) {
  pause_ = why == kTriedAgain ? std::min(pause_ * 2, options_.longest_pause) : options_.first_pause;
  next_try_ = Waiting::now() + pause_;
}

void Reloader::adopted(const policy::Findings& findings, const char* why) {
  next_try_.reset();
  findings_.adopted(findings);
  host::log(LogLevel::info, "policy reloaded",
            {{"id", server_.engine().snapshot()->policy->id}, {"why", why}});
}

}  // namespace weir::serve
