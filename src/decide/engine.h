// Policy + registry + store: load, decide, reload without losing a count.
//
//   auto engine = decide::Engine::open("policy.yaml");
//   if (!engine) { print(engine.error()); return 2; }
//   Decision d = (*engine)->decide(facts, clock.now());
//
// `reload` reads the files again; where anything is wrong the old policy stays and the findings say
// why. Thread-safe: decisions on any number of threads go on during a reload, each with one whole
// policy.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "decide/decider.h"
#include "decide/decision.h"
#include "decide/snapshot.h"
#include "policy/loader.h"
#include "store/registry.h"
#include "store/store.h"
#include "weir/result.h"

namespace weir::decide {

class Engine {
 public:
  struct Opened {
    std::unique_ptr<Engine> engine;  // null when a finding is an error
    policy::Findings findings;
  };
  static Opened open(const std::string& policy_file);
  // Tests and `weir test`: text in place of a file. `file` is what relative paths start from.
  static Opened open_text(std::string_view text, const std::string& file);

  // Adopts the files as they are now. Errors: nothing changes.
  policy::Findings reload();

  std::shared_ptr<const Snapshot> snapshot() const;
  // Counts the snapshots published; a thread that keeps one compares this before each use.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  Decision decide(const Snapshot& snapshot, const identity::Facts& facts, Now now) const {
    return decider_.check(snapshot, facts, now);
  }
  store::Store& store() { return *store_; }

 private:
  explicit Engine(std::unique_ptr<store::Store> store) : store_(std::move(store)), decider_(*store_) {}

  policy::Findings adopt(policy::Loaded loaded);

  std::string file_;
  std::unique_ptr<store::Store> store_;
  store::Registry registry_;
  Decider decider_;
  mutable std::mutex reload_mutex_;
  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace weir::decide
