// The caller's own usage, over all limits that could ever apply to it. Charges nothing.
//
// {tier, account, limits: [{name, class, unit, limit, used, remaining, window_ms, reset_ms,
// mode}]}; `class` is null where a limit's key does not hold the class (one counter for all of
// them). The store is asked once, a peek for each class that shows something new; not for a hot
// path.
//
//   UsageQuery query(snapshot, facts, now);
//   query.start(store);                // `done` has been called where the store answers at once
//   if (!query.failed()) query.write(out);
//
// Lives until `done`. Not thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "decide/decision.h"
#include "decide/snapshot.h"
#include "identity/facts.h"
#include "store/store.h"
#include "weir/clock.h"

namespace weir::serve {

class UsageQuery : private store::Sink {
 public:
  // `facts` is not used after this returns.
  UsageQuery(std::shared_ptr<const decide::Snapshot> snapshot, const identity::Facts& facts,
             Now now);
  UsageQuery(const UsageQuery&) = delete;
  UsageQuery& operator=(const UsageQuery&) = delete;
  virtual ~UsageQuery() = default;

  // `done` is called once: before this returns, or later on the store's thread.
  void start(store::Store& store);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void write(std::string& out) const;

 protected:
  virtual void done() {}

 private:
  static constexpr std::size_t kNoCharge = ~std::size_t{0};
  struct Row {
    policy::ClassId class_id = 0;
    decide::LimitVerdict verdict;
    std::size_t charge = kNoCharge;  // within its request; none: decided without a counter
  };
  struct Look {  // at one class
    std::size_t first_row = 0, rows = 0;
    std::size_t first_charge = 0, charges = 0;
  };
  class Collector;

  void decided(const store::Verdict& verdict) override;

  std::shared_ptr<const decide::Snapshot> snapshot_;
  Now now_;
  policy::TierId tier_ = 0;
  std::string account_;
  std::vector<Row> rows_;
  std::vector<store::Charge> charges_;
  std::vector<Look> looks_;
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> failed_{false};
};

}  // namespace weir::serve
