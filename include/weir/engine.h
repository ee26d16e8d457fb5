// The whole policy engine in a process: a policy file in, decisions and answers out.
//
//   #include <weir/engine.h>
//
//   auto engine = weir::Engine::open("policy.yaml");
//   if (!engine) { std::cerr << engine.error().text() << "\n"; return 2; }
//   weir::Verdict v = engine->decide({.method = "GET", .target = "/v1/search?q=x",
//                                     .client_ip = "203.0.113.7", .headers = headers});
//   if (!v.admit()) respond(engine->answer(v));
//
// Link weir::engine. Thread-safe: any number of threads decide, and `reload` swaps the policy under
// them without losing a count. `decide` throws nothing and makes no system call but reading the
// clock; given a Verdict to reuse it allocates nothing (bench/RESULTS.md has its cost).
// Counts live in this process (the policy's memory store); <weir/redis.h> has the engine for counts
// in a Redis.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/clock.h"
#include "weir/decision.h"
#include "weir/result.h"

namespace weir {

namespace engine {
struct Core;
}

// One request, as views that must live until `decide` returns.
struct Request {
  std::string_view method{};         // "GET"
  std::string_view target{};         // raw, with its query; empty: a caller without a path (a job)
  std::string_view client_ip{};      // as your server resolved it; empty or unreadable: unknown
  std::span<const Field> headers{};  // for keys from headers, cookies and JWT claims
  std::span<const Field> attributes{};  // what your program knows: {"service", "billing"}
  std::optional<std::uint64_t> cost{};  // in place of the class's cost
  std::string_view cost_unit{};         // the unit `cost` is in; empty: every unit
  bool peek = false;                    // the verdict alone: charges nothing
};

// One limit that matched.
struct LimitReport {
  std::string_view name;
  Outcome outcome;
  std::uint64_t cost = 1;
  bool shadow = false;  // counted and reported, never decides
};

// What was decided. Holds on to the policy it was made with, so its views stay valid until it is
// reused or destroyed. Move-only; not thread-safe. Ask nothing of one that was never decided.
class Verdict {
 public:
  Verdict();
  ~Verdict();
  Verdict(Verdict&&) noexcept;
  Verdict& operator=(Verdict&&) noexcept;

  bool admit() const;
  std::uint16_t status() const;  // 200, 429 or 503
  Reason reason() const;
  // Denied: until the same request is admitted, alone; nullopt where it never is.
  std::optional<std::chrono::nanoseconds> retry_after() const;
  // Admitted through a leaky_bucket: wait this long, then go on.
  std::chrono::nanoseconds delay() const;
  std::string_view route_class() const;
  std::string_view tier() const;
  std::string_view account() const;  // empty: none
  // The store gave no verdict: `on_store_failure` of the limits decided, at least in part.
  bool degraded() const;
  std::string_view governing() const;  // name of the governing limit; empty: no limit matched
  std::size_t limits() const;
  LimitReport limit(std::size_t i) const;

  struct Impl;

 private:
  friend struct engine::Core;
  std::unique_ptr<Impl> impl_;
};

// The answer a client deserves: copy status, headers and body, compute nothing.
struct Answer {
  std::uint16_t status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // JSON; empty on an admission
};

// Gets the verdict, once. Must not throw.
using Callback = std::function<void(Verdict)>;

class Engine {
 public:
  // Every finding of a wrong policy, a line each, is in the error's message.
  static Result<Engine> open(const std::string& policy_file);
  // The same with a clock of your own, which outlives the engine.
  static Result<Engine> open(const std::string& policy_file, Clock& clock);

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  Verdict decide(const Request& request) const;
  // Into a Verdict that is used again: no allocation.
  void decide(const Request& request, Verdict& verdict) const;
  // The form that every engine has: here the callback is called before this returns.
  void decide(const Request& request, const Callback& callback) const;
  Answer answer(const Verdict& verdict) const;
  // Reads policy and accounts again. On an error nothing changes.
  Result<void> reload();
  // First 16 hex digits of the hash of the expanded policy.
  std::string policy_id() const;

 private:
  explicit Engine(std::unique_ptr<engine::Core> core);
  std::unique_ptr<engine::Core> core_;
};

}  // namespace weir
