#include "redis/stages.h"

#include <algorithm>

#include "redis/key_name.h"

namespace weir::redis {

void Stages::one(std::span<const store::Charge> charges, std::uint16_t slot) {
  all_ = charges;
  at_ = 0;
  peek_ = false;
  admit_ = true;
  stages_.clear();
  stages_.push_back({});
  stages_.back().slot = slot;
  stages_.back().count = static_cast<std::uint8_t>(charges.size());
}

void Stages::add_stage_of(std::uint16_t slot, bool enforced) {
  const auto found = std::find_if(stages_.begin(), stages_.end(),
                                  [slot](const Stage& stage) { return stage.slot == slot; });
  if (found != stages_.end()) return;
  stages_.push_back({});
  stages_.back().slot = slot;
  stages_.back().enforced = enforced;
}

void Stages::plan(std::vector<store::Charge>& charges, bool peek) {
  slots_.clear();
  for (const store::Charge& c : charges) slots_.push_back(slot_of(c));
  one(charges, slots_.empty() ? std::uint16_t{0} : slots_.front());
  if (std::adjacent_find(slots_.begin(), slots_.end(), std::not_equal_to<>()) == slots_.end()) {
    return;
  }
  peek_ = peek;
  stages_.clear();
  for (const bool enforced : {true, false}) {
    for (std::size_t i = 0; i < charges.size(); ++i) {
      if (charges[i].shadow != enforced) add_stage_of(slots_[i], enforced);
    }
  }
  sort(charges);
  after_.assign(charges.size(), {});
  before_.assign(charges.size(), {});
}

void Stages::sort(std::vector<store::Charge>& charges) {
  sorted_.clear();
  place_.clear();
  for (Stage& stage : stages_) {
    stage.first = static_cast<std::uint8_t>(sorted_.size());
    for (std::size_t i = 0; i < charges.size(); ++i) {
      if (slots_[i] != stage.slot) continue;
      sorted_.push_back(charges[i]);
      place_.push_back(static_cast<std::uint8_t>(i));
    }
    stage.count = static_cast<std::uint8_t>(sorted_.size() - stage.first);
  }
  std::copy(sorted_.begin(), sorted_.end(), charges.begin());
}

Stages::Next Stages::take(const Batch& batch, std::size_t request) {
  Stage& stage = stages_[at_];
  const bool admitted = batch.admit(request);
  const std::span<const Outcome> outcomes = batch.outcomes(request);
  const std::span<const Outcome> earlier =
      admitted && may_return() ? batch.outcomes_before(request) : outcomes;
  for (std::size_t i = 0; i < stage.count; ++i) {
    after_[place_[stage.first + i]] = outcomes[i];
    before_[place_[stage.first + i]] = earlier[i];
  }
  stage.asked = true;
  stage.charged = admitted && !peek_;
  now_ = batch.now();
  stage.charged_us = now_.wall().ns / 1'000;
  admit_ = admit_ && admitted;
  if ((!admitted && !peek_) || at_ + 1 == stages_.size()) return Next::done;
  ++at_;
  return Next::ask;
}

std::uint32_t Stages::unasked() const {
  std::uint32_t bits = 0;
  for (const Stage& stage : stages_) {
    if (stage.asked) continue;
    for (std::size_t i = 0; i < stage.count; ++i) bits |= 1u << place_[stage.first + i];
  }
  return bits;
}

std::span<const Outcome> Stages::outcomes() {
  for (const Stage& stage : stages_) {
    if (stage.asked) continue;
    for (std::size_t i = 0; i < stage.count; ++i) {
      Outcome nothing;
      nothing.limit = all_[stage.first + i].numbers->burst;
      after_[place_[stage.first + i]] = before_[place_[stage.first + i]] = nothing;
    }
  }
  return admit_ ? after_ : before_;
}

}  // namespace weir::redis
