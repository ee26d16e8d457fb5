// A request whose counters lie in several slots of a cluster: one script a slot, in charging order,
// the next only after an admission. No I/O.
//
//   stages.plan(charges, peek);                    // sorts the charges by stage
//   ... ask for stages.charges() in stages.slot() ...
//   if (stages.take(batch, request) == Stages::Next::ask) ...   // the same for the next one
//   stages.admit(), stages.outcomes(), stages.unasked()
//   if (!stages.admit()) stages.for_each_charged(give_back);
//
// A stage is one slot; the first is that of the first enforced charge. Charges in it that are
// shadows are charged with it and given back with it; slots of shadows alone come last, after the
// request is admitted, and cannot deny it any more. A peek asks every stage. One that ends early
// (a denial, a failure) says nothing of the stages that were not asked.
//
// Outcomes stand in the order in which the charges were given: after the charge where the request
// is admitted, as they were found where it is not. Not thread-safe; used again with its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "redis/batch.h"
#include "store/store.h"
#include "weir/decision.h"

namespace weir::redis {

class Stages {
 public:
  enum class Next : std::uint8_t { ask, done };

  // Everything in one place: nothing is sorted, and only `slot` and `charges` mean something.
  void one(std::span<const store::Charge> charges, std::uint16_t slot);
  // Where they lie in one slot, the same. `charges` outlive their stages.
  void plan(std::vector<store::Charge>& charges, bool peek);

  bool several() const { return stages_.size() > 1; }
  // Of the stage at hand.
  std::uint16_t slot() const { return stages_[at_].slot; }
  std::span<const store::Charge> charges() const { return part(stages_[at_]); }
  // It may have to be given back: others come after it.
  bool may_return() const { return !peek_ && at_ + 1 < stages_.size(); }
  // The request is admitted whatever becomes of this stage and those after it.
  bool decided() const { return at_ > 0 && !peek_ && !stages_[at_].enforced; }
  // Of the latest stage that was asked.
  Now now() const { return now_; }

  // The verdict on the stage at hand; `ask`: the next one is at hand now.
  Next take(const Batch& batch, std::size_t request);

  bool admit() const { return admit_; }
  std::uint32_t unasked() const;
  std::span<const Outcome> outcomes();

  // f(slot, charges) for each.
  template <typename F>
  void for_each_stage(F&& f) const {
    for (const Stage& stage : stages_) f(stage.slot, part(stage));
  }
  // Whether f(slot) holds for each.
  template <typename F>
  bool all_of_slots(F&& f) const {
    for (const Stage& stage : stages_) {
      if (!f(stage.slot)) return false;
    }
    return true;
  }
  // f(slot, charges, charged_us) for each stage that was charged, of what was charged in it.
  template <typename F>
  void for_each_charged(F&& f) {
    for (const Stage& stage : stages_) {
      if (!stage.charged) continue;
      returned_.clear();
      for (std::size_t i = stage.first; i < stage.first + stage.count; ++i) {
        if (after_[place_[i]].admit && all_[i].cost > 0) returned_.push_back(all_[i]);
      }
      if (!returned_.empty()) f(stage.slot, returned_, stage.charged_us);
    }
  }

 private:
  struct Stage {
    std::uint16_t slot = 0;
    std::uint8_t first = 0;
    std::uint8_t count = 0;
    bool enforced = false;
    bool asked = false;
    bool charged = false;
    std::uint64_t charged_us = 0;
  };

  std::span<const store::Charge> part(const Stage& stage) const {
    return all_.subspan(stage.first, stage.count);
  }
  void add_stage_of(std::uint16_t slot, bool enforced);
  void sort(std::vector<store::Charge>& charges);

  std::span<const store::Charge> all_;
  std::vector<Stage> stages_;
  std::size_t at_ = 0;
  bool peek_ = false;
  bool admit_ = true;
  Now now_;
  std::vector<std::uint8_t> place_;  // of sorted charge i: its index as it was given
  std::vector<std::uint16_t> slots_;
  std::vector<store::Charge> sorted_;
  std::vector<store::Charge> returned_;
  std::vector<Outcome> after_, before_;  // by place
};

}  // namespace weir::redis
