#include "redis/inbox.h"

#include <algorithm>

#include "redis/batch.h"

namespace weir::redis {
namespace {

bool all_storable(std::span<const store::Charge> charges) {
  return charges.size() <= store::kMaxCharges &&
         std::all_of(charges.begin(), charges.end(), [](const store::Charge& c) {
           return c.numbers == nullptr || storable(*c.numbers);
         });
}

}  // namespace

Waiting* Inbox::place() {
  if (!free_.empty()) {
    Waiting* w = free_.back();
    free_.pop_back();
    return w;
  }
  if (places_.size() >= most_) return nullptr;
  return &places_.emplace_back();
}

bool Inbox::woken() {
  const bool wake = !woken_;
  woken_ = true;
  return wake;
}

void Inbox::put(Waiting& w, Waiting::Kind kind, std::span<const store::Charge> charges, Now given,
                Instant deadline) {
  w.clear();
  w.kind = kind;
  w.charges.assign(charges.begin(), charges.end());
  if (kind == Waiting::Kind::refund) w.keep_numbers();
  w.given = given;
  w.deadline = deadline;
  w.serial.store(++serial_, std::memory_order_relaxed);
  arrived_.push_back(&w);
}

bool Inbox::charge(std::span<const store::Request> requests, Now given, store::Sink& sink,
                   Instant deadline) {
  if (requests.empty()) return false;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool fits = all_storable(requests[i].charges);
    Waiting* w = fits ? place() : nullptr;
    if (w == nullptr) {
      refused_.push_back(
          {&sink, nullptr, i, given, fits ? Failure::queue_full : Failure::other_error});
      continue;
    }
    put(*w, requests[i].peek ? Waiting::Kind::peek : Waiting::Kind::charge, requests[i].charges,
        given, deadline - requests[i].taken);
    w->sink = &sink;
    w->request = i;
  }
  return woken();
}

bool Inbox::add(Waiting::Kind kind, std::span<const store::Charge> charges, Now given,
                Instant deadline, Question* question) {
  const std::lock_guard lock(mutex_);
  const bool fits = all_storable(charges);
  Waiting* w = fits ? place() : nullptr;
  if (w == nullptr) {
    refused_.push_back(
        {nullptr, question, 0, given, fits ? Failure::queue_full : Failure::other_error});
  } else {
    put(*w, kind, charges, given, deadline);
    w->question = question;
  }
  return woken();
}

void Inbox::take(std::vector<Waiting*>& waiting, std::vector<Refused>& refused) {
  waiting.clear();
  refused.clear();
  const std::lock_guard lock(mutex_);
  waiting.swap(arrived_);
  refused.swap(refused_);
  woken_ = false;
}

void Inbox::put_back(std::vector<Waiting*>& done) {
  if (done.empty()) return;
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), done.begin(), done.end());
  done.clear();
}

std::size_t Inbox::in_use() const {
  const std::lock_guard lock(mutex_);
  return places_.size() - free_.size();
}

}  // namespace weir::redis
