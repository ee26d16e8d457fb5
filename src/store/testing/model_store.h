// A store that is obviously right and slow: a map, copied before each request and put back on a
// denial. The differential tests hold every other store to it.
//
// It knows nothing of shards or probes: at most `places` live keys (0: any number), the rest share
// one overflow counter a limit and set of numbers, or are denied. Not thread-safe.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "algo/log.h"
#include "algo/step.h"
#include "store/memory/transaction.h"
#include "store/store.h"
#include "store/testing/lab.h"

namespace weir::store::testing {

class ModelStore {
 public:
  explicit ModelStore(std::size_t places = 0, bool deny_when_full = false)
      : places_(places), deny_when_full_(deny_when_full) {}

  Seen decide(std::span<const Charge> charges, bool peek, Now now);
  void refund(const Charge& charge, Now now);
  bool reset(Slot slot, const base::Digest& key);
  std::size_t live_keys() const { return counters_.size(); }

 private:
  struct Counter {
    algo::State state;
    algo::Log log;
    Instant expires;
  };
  // Slot, key, and for an overflow counter the numbers (all zero otherwise).
  using Id = std::tuple<Slot, std::uint64_t, std::uint64_t, bool, std::uint64_t, std::uint64_t,
                        std::uint64_t>;
  using Counters = std::map<Id, Counter>;

  static Id own(const Charge& c);
  static Id shared(const Charge& c);
  void forget_dead();
  Outcome apply(Counters& to, const Charge& c, const Id& id, std::uint64_t cost, bool commit);
  std::vector<Id> places_for(std::span<const Charge> charges, std::vector<bool>& refused);

  std::size_t places_;
  bool deny_when_full_;
  Now now_;
  Counters counters_;  // own ones
  Counters overflow_;
};

}  // namespace weir::store::testing
