#include "design/fit/trial.h"

#include <algorithm>

#include "algo/log.h"
#include "algo/step.h"

namespace weir::design {
namespace {

using algo::Numbers;

Now at(std::int64_t ns) { return {{static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0))}, 0}; }

class Counted {
 public:
  explicit Counted(const Numbers& numbers) : numbers_(numbers) {}

  const Outcome& charge(std::uint64_t cost, Now now) {
    algo::charge(numbers_, state_, cost, now, algo::kAnyDelay, outcome_, change_);
    state_ = change_.next;
    return outcome_;
  }

 private:
  const Numbers& numbers_;
  algo::State state_;
  algo::Change change_;
  Outcome outcome_;
};

class Logged {
 public:
  explicit Logged(const Numbers& numbers) : numbers_(numbers) {}

  Outcome charge(std::uint64_t cost, Now now) { return log_.charge(numbers_, cost, now); }

 private:
  const Numbers& numbers_;
  algo::Log log_;
};

template <typename Counter>
void try_key(const Trace& key, const Numbers& numbers, Trial& sum) {
  Counter counter(numbers);
  std::uint64_t rejected = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::uint32_t cost = key.cost(i);
    const Outcome& outcome = counter.charge(cost, at(key.at_ns[i]));
    if (outcome.admit) {
      sum.longest_delay = std::max(sum.longest_delay, outcome.delay);
    } else {
      ++rejected;
      sum.rejected_cost += cost;
    }
  }
  sum.rejected += rejected;
  sum.requests += key.size();
  ++sum.keys;
  sum.hurt_keys += rejected > 0 ? 1 : 0;
}

}  // namespace

Trial try_limit(std::span<const Trace> keys, const Numbers& numbers) {
  Trial sum;
  for (const Trace& key : keys) {
    if (key.size() == 0) continue;
    if (numbers.algorithm == Algorithm::sliding_log) {
      try_key<Logged>(key, numbers, sum);
    } else {
      try_key<Counted>(key, numbers, sum);
    }
  }
  return sum;
}

}  // namespace weir::design
