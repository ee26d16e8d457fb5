// What the installed engines have in common: a decide::Engine, and the clock that they read once a
// decision. `weir::Engine` opens it with a store in this process, `weir::RedisEngine` with any.
//
// Thread-safe but for `open`. Owns the engine; a clock that was given outlives it.
#pragma once

#include <memory>
#include <string>

#include "decide/engine.h"
#include "weir/clock.h"
#include "weir/engine.h"
#include "weir/result.h"

namespace weir::engine {

struct Core {
  // `clock` null: the system's.
  static Result<std::unique_ptr<Core>> open(const std::string& policy_file, Clock* clock,
                                            decide::Engine::OpenStore open_store);

  // The store answers at once (decide::Engine::immediate).
  void decide(const Request& request, Verdict& verdict) const;
  // Whatever the store: `callback` is called once, before this returns or on the store's thread.
  void decide(const Request& request, Callback callback) const;
  Answer answer(const Verdict& verdict) const;
  Result<void> reload();
  std::string policy_id() const;

  // The verdict of a decision that came later.
  static Verdict verdict_of(std::shared_ptr<const decide::Snapshot> snapshot,
                            const decide::Decision& decision);

  std::unique_ptr<decide::Engine> engine;
  SystemClock system_clock;
  Clock* clock = nullptr;
};

}  // namespace weir::engine
