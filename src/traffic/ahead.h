// What requests ask of a store, made out by a thread of its own ahead of the one that asks: reading
// a request is half of the work of a decision, and depends on none before it.
//
//   Ahead ahead(engine, *snapshot, events);
//   for (std::size_t i = 0; i < events.size(); ++i) use(ahead.next());
//
// For one thread. Engine, snapshot and events outlive it.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "decide/charge_list.h"
#include "decide/decision.h"
#include "decide/engine.h"
#include "traffic/events.h"

namespace weir::traffic {

class Ahead {
 public:
  // Begins with the first event.
  Ahead(decide::Engine& engine, const decide::Snapshot& snapshot, const Events& events);
  ~Ahead();
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  // Of the next event, of which there must be one; what is returned lives until the next call.
  const decide::Decision& next();

 private:
  static constexpr std::size_t kBatch = 1'024;

  struct Prepared {
    decide::Decision decision;
    decide::ChargeList list;
    bool asks = false;  // the store
  };
  // Made out while the other is asked; `full` says whose turn it is.
  struct Batch {
    std::vector<Prepared> requests{kBatch};
    bool full = false;
  };

  void work();
  void prepare(std::size_t i, Prepared& prepared) const;

  decide::Engine& engine_;
  const decide::Snapshot& snapshot_;
  const Events& events_;
  std::size_t asked_ = 0;
  std::array<Batch, 2> batches_;
  std::mutex mutex_;  // guards `full` and stop_
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread worker_;
};

}  // namespace weir::traffic
