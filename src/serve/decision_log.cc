#include "serve/decision_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/json_writer.h"
#include "base/write_all.h"
#include "decide/charge_list.h"
#include "host/log.h"
#include "identity/address.h"
#include "policy/words.h"

namespace weir::serve {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;

void duration(base::JsonWriter& json, std::string_view key, std::uint64_t ns) {
  json.key(key);
  if (ns == Duration::max().ns) {
    json.null();
  } else {
    json.value(ns);
  }
}

std::array<char, 32> hex(const base::Digest& key) {
  std::array<char, 32> out;
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = "0123456789abcdef"[key.hi >> (60 - 4 * i) & 15];
    out[16 + i] = "0123456789abcdef"[key.lo >> (60 - 4 * i) & 15];
  }
  return out;
}

void write_numbers(base::JsonWriter& json, const algo::Numbers& numbers) {
  json.member("algorithm", weir::name(numbers.algorithm));
  json.member("align", numbers.align == Align::epoch ? "epoch" : "first");
  json.member("count", numbers.count);
  json.member("period_ns", numbers.period_ns);
  json.member("burst", numbers.burst);
  duration(json, "max_wait_ns", numbers.max_wait_ns);
}

void write_limit(base::JsonWriter& json, const policy::Policy& policy, const identity::Facts& facts,
                 const decide::LimitVerdict& v) {
  const auto key = hex(v.key);
  json.begin_object();
  json.member("name", policy.limits[v.limit].name);
  json.member("slot", v.slot);
  json.member("key", std::string_view(key.data(), key.size()));
  if (const algo::Numbers* numbers = v.applied()) write_numbers(json, *numbers);
  duration(json, "max_delay_ns", decide::longest_delay(facts, policy.limits[v.limit]).ns);
  json.member("cost", v.cost);
  json.member("mode", name(v.mode));
  json.member("admit", v.outcome.admit);
  json.member("reason", weir::name(v.outcome.reason));
  json.member("limit", v.outcome.limit);
  json.member("remaining", v.outcome.remaining);
  duration(json, "wait_ns", v.outcome.wait.ns);
  duration(json, "reset_ns", v.outcome.reset.ns);
  json.member("delay_ns", v.outcome.delay.ns);
  json.member("overflow", v.outcome.overflow);
  json.end_object();
}

void write_caller(base::JsonWriter& json, const policy::Policy& policy,
                  const identity::Facts& facts) {
  json.key("client_ip");
  std::array<char, 64> text;
  if (facts.client) {
    json.value(facts.client->write(text));
  } else if (facts.peer) {
    json.value(identity::client_address(policy.listeners, *facts.peer, facts.headers).write(text));
  } else {
    json.null();
  }
}

}  // namespace

Result<std::unique_ptr<DecisionLog>> DecisionLog::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (fd < 0) {
    return Error{ErrorCode::io, "cannot open the decision log: " + std::string(strerror(errno)),
                 path};
  }
  return std::make_unique<DecisionLog>(fd);
}

DecisionLog::~DecisionLog() {
  flush();
  ::close(fd_);
}

void DecisionLog::write(std::string_view endpoint, const decide::Snapshot& snapshot,
                        const identity::Facts& facts, const decide::Decision& d,
                        const answer::Answer& answer) {
  const policy::Policy& policy = *snapshot.policy;
  base::JsonWriter json(buffer_);
  json.begin_object();
  json.member("now_ns", d.now.steady.ns);
  json.key("wall_offset_ns");
  std::array<char, 24> offset;
  const auto end =
      std::to_chars(offset.data(), offset.data() + offset.size(), d.now.wall_offset_ns).ptr;
  json.raw({offset.data(), static_cast<std::size_t>(end - offset.data())});
  json.member("endpoint", endpoint);
  json.member("method", facts.method);
  json.member("class", policy.classes[d.class_id].name);
  json.member("tier", policy.tiers[d.tier].name);
  json.key("account");
  if (d.account.empty()) {
    json.null();
  } else {
    json.value(d.account);
  }
  write_caller(json, policy, facts);
  json.member("peek", d.peek);
  json.member("skipped", d.skipped);
  json.member("admit", d.admit);
  json.member("status", d.status);
  json.member("reason", weir::name(d.reason));
  json.key("retry_after_ms");
  if (d.retry_after == Duration::max()) {
    json.null();
  } else {
    json.value(d.retry_after.milliseconds_up());
  }
  json.member("delay_ns", d.delay.ns);
  json.key("limits");
  json.begin_array();
  for (const decide::LimitVerdict& v : d.limits()) write_limit(json, policy, facts, v);
  json.end_array();
  json.key("headers");
  json.begin_object();
  for (const answer::Header& h : answer.headers) json.member(h.name, h.value);
  json.end_object();
  json.end_object();
  buffer_ += '\n';
  if (buffer_.size() >= kBuffer) flush();
}

void DecisionLog::flush() {
  // What a failed write left of a line ends there, or the next line would be lost with it.
  if (torn_ && !buffer_.empty()) buffer_.insert(buffer_.begin(), '\n');
  std::string_view rest = buffer_;
  if (!base::write_all(fd_, rest)) {
    lost(errno);
    const std::size_t written = buffer_.size() - rest.size();
    if (written > 0) torn_ = buffer_[written - 1] != '\n';
  }
  if (rest.empty() && !buffer_.empty()) failing_ = torn_ = false;
  buffer_.clear();
}

void DecisionLog::lost(int error) {
  errors_.store(errors_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (failing_) return;
  failing_ = true;
  host::log(host::LogLevel::error, "decision log cannot be written, lines are lost",
            {{"error", std::strerror(error)}});
}

}  // namespace weir::serve
