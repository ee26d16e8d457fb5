// Policy + registry + store: load, decide, reload without losing a count.
//
//   auto opened = decide::Engine::open("policy.yaml");
//   if (!opened.engine) { print(opened.findings); return 2; }
//   Decision d = opened.engine->decide(*opened.engine->snapshot(), facts, clock.now());
//
// `reload` reads the files again; where anything is wrong the old policy stays and the findings say
// why. Thread-safe: decisions on any number of threads go on during a reload, each with one whole
// policy.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "decide/decider.h"
#include "decide/decision.h"
#include "decide/snapshot.h"
#include "policy/loader.h"
#include "store/registry.h"
#include "store/store.h"

namespace weir::decide {

class Engine {
 public:
  struct Opened {
    std::unique_ptr<Engine> engine;  // null when a finding is an error
    policy::Findings findings;
  };
  // Makes the store that a policy asks for. decide knows the memory store alone; who composes a
  // program brings the others.
  using OpenStore = Result<std::unique_ptr<store::Store>> (*)(const policy::StoreConfig&);
  static Result<std::unique_ptr<store::Store>> open_memory(const policy::StoreConfig& config);

  static Opened open(const std::string& policy_file, OpenStore open_store = open_memory);
  // Text in place of a file, for tests and the library. `file` is what relative paths start from;
  // `accounts` (CSV) stands in for the policy's accounts file where it is not empty.
  static Opened open_text(std::string_view text, const std::string& file,
                          std::string_view accounts = {}, OpenStore open_store = open_memory);
  // A policy that was loaded, and perhaps changed, by the caller; `reload` reads its file as it is.
  static Opened open_policy(policy::Loaded loaded, OpenStore open_store = open_memory);

  // Adopts the files as they are now, accounts included; true if they were adopted. Where anything
  // is wrong nothing changes, and the findings have the errors.
  struct Reloaded {
    bool adopted = false;
    policy::Findings findings;
  };
  Reloaded reload();
  Reloaded reload_text(std::string_view text);
  // From now on nothing is adopted, by a reload at hand neither: the process is about to end.
  void end_reloads() { ended_.store(true, std::memory_order_relaxed); }

  std::shared_ptr<const Snapshot> snapshot() const;
  // Counts the snapshots published; a thread that keeps one compares this before each use.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // For an immediate store. Hot paths reuse one Decision (2 KB); the other form is for convenience.
  void decide(const Snapshot& snapshot, const identity::Facts& facts, Now now,
              Decision& decision) const {
    decider_->check(snapshot, facts, now, decision);
  }
  Decision decide(const Snapshot& snapshot, const identity::Facts& facts, Now now) const {
    Decision decision;
    decider_->check(snapshot, facts, now, decision);
    return decision;
  }
  store::Store& store() { return *store_; }
  const Decider& decider() const { return *decider_; }
  // Whether `decide` may be used; otherwise decisions come later (pending.h).
  bool immediate() const { return store_->immediate(); }
  const std::string& file() const { return file_; }

 private:
  explicit Engine(std::string file) : file_(std::move(file)) {}

  static Opened start(policy::Loaded loaded, std::unique_ptr<Engine> engine, OpenStore open_store);
  Reloaded adopt(policy::Loaded loaded);

  std::string file_;
  std::string accounts_text_;            // when not empty: in place of the accounts file
  std::unique_ptr<store::Store> local_;  // beside a store that can fail; destroyed after it
  std::unique_ptr<Decider> decider_;     // a store that ends still delivers verdicts to it
  std::unique_ptr<store::Store> store_;
  policy::StoreConfig store_config_;
  store::Registry registry_;
  std::mutex reload_mutex_;
  std::atomic<bool> ended_{false};  // no more reloads
  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::atomic<std::uint64_t> version_{0};
};

// A thread's own hold on the engine's snapshot: one atomic load a decision, no shared counter.
// Not thread-safe: one for each thread.
class SnapshotCache {
 public:
  explicit SnapshotCache(const Engine& engine) : engine_(engine) {}

  const Snapshot& get() { return *shared(); }
  // For who keeps it longer than this turn.
  const std::shared_ptr<const Snapshot>& shared() {
    const std::uint64_t version = engine_.version();
    if (version != version_) {
      held_ = engine_.snapshot();
      version_ = version;
    }
    return held_;
  }

 private:
  const Engine& engine_;
  std::uint64_t version_ = 0;
  std::shared_ptr<const Snapshot> held_;
};

}  // namespace weir::decide
