// The decision log: a line of JSON a decision, with all that a model needs to decide it again.
//
// {"now_ns", "wall_offset_ns", "endpoint", "method", "class", "tier", "account", "client_ip",
//  "peek", "skipped", "admit", "status", "reason", "retry_after_ms", "delay_ns", "limits": [
//  {"name", "slot", "key", "algorithm", "align", "count", "period_ns", "burst", "max_wait_ns",
//   "max_delay_ns", "cost", "mode", "admit", "reason", "limit", "remaining", "wait_ns",
//   "reset_ns", "delay_ns", "overflow"}], "headers": {name: value as sent}}
//
// `now_ns` is the instant the store used; a limit's numbers are those that were applied, absent for
// a tier that says `deny`; `key` is the keyed hash. "never" is null. No path, query or credential
// is written. One loop writes, so lines are in the order of the decisions; whole lines are buffered
// and reach the file when 64 KiB have gathered, at `flush`, and at the end. A write that fails is
// counted and logged, and its lines are lost: the log never stops decisions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "answer/answer.h"
#include "decide/decision.h"
#include "decide/snapshot.h"
#include "identity/facts.h"
#include "weir/result.h"

namespace weir::serve {

class DecisionLog {
 public:
  // Appends to `path`, made with mode 0640.
  static Result<std::unique_ptr<DecisionLog>> open(const std::string& path);
  explicit DecisionLog(int fd) : fd_(fd) {}
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  void write(std::string_view endpoint, const decide::Snapshot& snapshot,
             const identity::Facts& facts, const decide::Decision& decision,
             const answer::Answer& answer);
  void flush();
  const std::atomic<std::uint64_t>& errors() const { return errors_; }

 private:
  void lost(int error);

  int fd_;
  std::string buffer_;
  bool failing_ = false;  // said so already
  bool torn_ = false;     // the file ends within a line
  std::atomic<std::uint64_t> errors_{0};
};

}  // namespace weir::serve
