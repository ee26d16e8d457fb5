// What a log says of its traffic before any policy is asked: its routes, its sessions, the
// addresses that several people seem to share, the keys that look like scanners or abusers, and how
// much of it repeats what was refused.
//
//   const Profile profile = traffic::profile(events, keys);
//   for (const Route& r : find_routes(events, profile.found, tally.requests())) ...
//
// Whom it names is a guess from rules that are written beside each; limits are not to be fitted to
// Suspects, and a limit by address hurts those behind a SharedAddress.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traffic/events.h"
#include "traffic/replay.h"
#include "traffic/routes.h"
#include "traffic/tally.h"

namespace weir::traffic {

// Why limits should not be fitted to a key; the first of these that is so.
enum class Suspicion : std::uint8_t {
  far_above,        // its busiest minute is beyond a gap of 3 x above the 95th percentile of keys
  failing,          // at least half of at least kFewest requests were answered by 4xx but 429
  ignores_refusal,  // at least kFewest refused, and half of those followed by a request within 1 s
  says_bot,         // a user agent that calls itself one
};
std::string_view name(Suspicion suspicion);  // "far above the others"

struct Suspect {
  static constexpr std::uint64_t kFewest = 10;  // requests, below which nothing is concluded

  std::uint32_t key = 0;
  Suspicion why = Suspicion::far_above;
  std::uint64_t requests = 0;
  std::uint64_t busiest_minute = 0;  // requests, of a minute of the clock
  std::uint64_t failed = 0;          // 4xx but 429
  std::uint64_t refused = 0;         // 429, or so the log says
};

// An address behind which there are several: at least 3 identities (account, API key, user), or at
// least 4 user agents of which two alternate within a minute in at least 5 minutes.
struct SharedAddress {
  std::string address;
  std::uint64_t requests = 0;
  std::uint32_t identities = 0;
  std::uint32_t agents = 0;
  std::uint32_t mixed_minutes = 0;  // with two agents or more

  // How many people it stands for, at least and at most: limits by address should allow for
  // sqrt(users) to users times what one needs.
  std::uint32_t users() const { return std::max(identities, agents); }
};

struct Profile {
  std::uint64_t sessions = 0;
  std::uint64_t median_session_requests = 0;
  std::int64_t median_session_ns = 0;
  std::vector<Suspect> suspects;      // the busiest first
  std::vector<SharedAddress> shared;  // the busiest first
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  // by 429 or 503, or so the log says
  std::uint64_t repeats = 0;  // of refused ones
  std::vector<bool> found;  // by Event::request: answered at least once by other than 400, 404, 405

  // How many times as many requests came as would have without repeats.
  double inflation() const {
    return requests == repeats
               ? 1
               : static_cast<double>(requests) / static_cast<double>(requests - repeats);
  }
};

// `events` are in order of time. About 30 ns a request.
Profile profile(const Events& events, const Keys& keys);

// `counts`: by Event::request.
std::vector<Route> find_routes(const Events& events, const std::vector<bool>& found,
                               const std::vector<Count>& counts);

}  // namespace weir::traffic
