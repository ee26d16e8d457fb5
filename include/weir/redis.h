// The policy engine with its counts in a Redis: one limit over any number of processes.
//
//   #include <weir/redis.h>
//
//   auto engine = weir::RedisEngine::open("policy.yaml");    // store: redis://...
//   if (!engine) { std::cerr << engine.error().text() << "\n"; return 2; }
//   engine->decide({.method = "GET", .target = "/v1/search", .client_ip = "203.0.113.7"},
//                  [&](weir::Verdict v) { if (!v.admit()) respond(engine->answer(v)); });
//
// Link weir::redis. The engine has a thread of its own for the Redis, and `decide` never waits: the
// callback comes on that thread, within the policy's `store.timeout` (15 ms), or before `decide`
// returns where the Redis need not be asked. Where it gave no verdict in time, `on_store_failure`
// of each limit decides, and the verdict is `degraded`. A policy with a memory store works too.
//
// Thread-safe; a callback may decide again. What it does holds up the verdicts behind it: hand long
// work to a thread of your own. The destructor calls every callback that still waits; nobody
// destroys an engine in a callback. Time is the Redis' own; the clock given is for what is decided
// in this process.
#pragma once

#include <memory>
#include <string>

#include "weir/clock.h"
#include "weir/engine.h"
#include "weir/result.h"

namespace weir {

class RedisEngine {
 public:
  // Never waits for the Redis: one that is not there yet is connected to later. Every finding of a
  // wrong policy, a line each, is in the error's message.
  static Result<RedisEngine> open(const std::string& policy_file);
  // The same with a clock of your own, which outlives the engine.
  static Result<RedisEngine> open(const std::string& policy_file, Clock& clock);

  RedisEngine(RedisEngine&&) noexcept;
  RedisEngine& operator=(RedisEngine&&) noexcept;
  ~RedisEngine();

  // What `request` views need not outlive the call.
  void decide(const Request& request, Callback callback) const;
  Answer answer(const Verdict& verdict) const;
  // Reads policy and accounts again; the store stays as it was opened. On an error nothing changes.
  Result<void> reload();
  // First 16 hex digits of the hash of the expanded policy.
  std::string policy_id() const;

 private:
  explicit RedisEngine(std::unique_ptr<engine::Core> core);
  std::unique_ptr<engine::Core> core_;
};

}  // namespace weir
