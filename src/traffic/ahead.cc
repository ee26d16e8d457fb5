#include "traffic/ahead.h"

#include <algorithm>

#include "traffic/replay.h"

namespace weir::traffic {

Ahead::Ahead(decide::Engine& engine, const decide::Snapshot& snapshot, const Events& events)
    : engine_(engine), snapshot_(snapshot), events_(events), worker_([this] { work(); }) {}

Ahead::~Ahead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

const decide::Decision& Ahead::next() {
  const std::size_t i = asked_++;
  const std::size_t place = i % kBatch;
  if (place == 0) {
    std::unique_lock lock(mutex_);
    if (i > 0) batches_[(i / kBatch - 1) % 2].full = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return batches_[i / kBatch % 2].full; });
  }
  Prepared& prepared = batches_[i / kBatch % 2].requests[place];
  if (prepared.asks) {
    engine_.decider().ask(snapshot_, prepared.list, prepared.decision.now, prepared.decision);
  }
  return prepared.decision;
}

void Ahead::work() {
  for (std::size_t begin = 0; begin < events_.size(); begin += kBatch) {
    Batch& batch = batches_[begin / kBatch % 2];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stop_ || !batch.full; });
      if (stop_) return;
    }
    const std::size_t end = std::min(begin + kBatch, events_.size());
    for (std::size_t i = begin; i < end; ++i) prepare(i, batch.requests[i - begin]);
    {
      const std::lock_guard lock(mutex_);
      batch.full = true;
    }
    changed_.notify_all();
  }
}

void Ahead::prepare(std::size_t i, Prepared& prepared) const {
  const identity::Facts facts = facts_of(events_, i);
  const Now now{{static_cast<std::uint64_t>(events_.at(i).start_ns)}, 0};
  prepared.asks =
      engine_.decider().prepare(snapshot_, facts, now, prepared.decision, prepared.list);
}

}  // namespace weir::traffic
