// Two policies on the same requests: who is newly denied, who newly admitted.
//
//   Comparison c(policy, keys);
//   c.add(event, old_decision, new_decision);
//
// Classes are those of the first policy. A value; for one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "decide/decision.h"
#include "decide/snapshot.h"
#include "traffic/events.h"
#include "traffic/replay.h"

namespace weir::traffic {

struct Change {
  std::uint64_t requests = 0;
  std::uint64_t newly_denied = 0;
  std::uint64_t newly_admitted = 0;

  void add(bool before, bool after) {
    ++requests;
    newly_denied += before && !after ? 1 : 0;
    newly_admitted += !before && after ? 1 : 0;
  }
};

class Comparison {
 public:
  // Both outlive it only while `add` is called.
  Comparison(const decide::Snapshot& first, const Keys& keys)
      : keys_(keys), classes_(first.policy->classes.size()), by_key_(keys.size()) {}

  void add(const Event& event, const decide::Decision& first, const decide::Decision& second) {
    all_.add(first.admit, second.admit);
    classes_[first.class_id].add(first.admit, second.admit);
    by_key_[keys_.of(event.caller)].add(first.admit, second.admit);
  }

  const Change& all() const { return all_; }
  const std::vector<Change>& classes() const { return classes_; }
  // The keys with the most newly denied requests, those first.
  std::vector<std::uint32_t> most_changed(std::size_t most) const;
  const Change& key(std::uint32_t key) const { return by_key_[key]; }

 private:
  const Keys& keys_;
  Change all_;
  std::vector<Change> classes_;
  std::vector<Change> by_key_;
};

}  // namespace weir::traffic
