// What came of a replay, counted: in all, by limit, tier, class and key, and over time.
//
//   Tally tally(replay.snapshot(), keys, events);
//   tally.add(event, replay.decide(i));
//   const Totals& t = tally.totals();
//
// A value. For one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "decide/decision.h"
#include "decide/snapshot.h"
#include "traffic/events.h"
#include "traffic/replay.h"
#include "traffic/wait_histogram.h"

namespace weir::traffic {

struct Count {
  std::uint64_t requests = 0;
  std::uint64_t denied = 0;

  std::uint64_t admitted() const { return requests - denied; }
  void add(bool admit) {
    ++requests;
    denied += admit ? 0 : 1;
  }
};

struct LimitTally {
  std::uint64_t asked = 0;      // requests that it applied to
  std::uint64_t denied = 0;     // for which it had no room; a shadow limit's denied nothing
  std::uint64_t governed = 0;   // of the requests denied: those it governed
  std::uint64_t hurt_keys = 0;  // keys with a request that it governed the denial of
  WaitHistogram waits;          // of the denials it governed that end
  std::uint64_t never = 0;      // of the denials it governed: those that no wait ends
};

struct KeyTally {
  static constexpr policy::LimitId kNone = 0xffff;

  Count count;
  std::int64_t first_denied_ns = 0;
  std::int64_t last_denied_ns = 0;
  policy::LimitId governing = kNone;  // of the last denial
  policy::TierId tier = 0;            // of the last request
  policy::ClassId worst_class = 0;    // of the last denial
};

// Requests over time, in steps of one width.
struct Timeline {
  std::int64_t begin_ns = 0;
  std::int64_t step_ns = 1'000'000'000;
  std::vector<Count> steps;
};

struct Totals {
  Count all;
  std::uint64_t skipped = 0;  // admitted without a limit: exempt classes, preflights
  std::uint64_t hurt_keys = 0;
  std::uint64_t keys = 0;  // with at least one request
  WaitHistogram waits;     // retry_after of the denied
  WaitHistogram delays;    // of what a leaky_bucket let through later
  std::uint64_t never = 0;
};

class Tally {
 public:
  // Of `events`, which has some, in order of time. `keys` outlives it.
  Tally(const decide::Snapshot& snapshot, const Keys& keys, const Events& events);

  void add(const Event& event, const decide::Decision& decision);

  const Totals& totals() const { return totals_; }
  const std::vector<LimitTally>& limits() const { return limits_; }  // by LimitId
  const std::vector<Count>& tiers() const { return tiers_; }         // by TierId
  const std::vector<Count>& classes() const { return classes_; }     // by ClassId
  const std::vector<KeyTally>& keys() const { return by_key_; }      // by key
  const std::vector<Count>& requests() const { return requests_; }   // by Event::request
  const Timeline& timeline() const { return timeline_; }
  // The keys with the most denials, those first; at most `most`, none without a denial.
  std::vector<std::uint32_t> hurt(std::size_t most) const;

 private:
  void add_denial(const Event& event, const decide::Decision& decision, KeyTally& key,
                  std::uint32_t key_id);

  const Keys& keys_;
  Totals totals_;
  std::vector<LimitTally> limits_;
  std::vector<Count> tiers_;
  std::vector<Count> classes_;
  std::vector<Count> requests_;
  std::vector<KeyTally> by_key_;
  std::vector<std::vector<bool>> hurt_by_;  // [limit][key]; empty until the limit denies
  Timeline timeline_;
};

}  // namespace weir::traffic
