// What the log of a replay says by itself, for a terminal: sessions, repeats, whom not to fit
// limits to, and where several people share an address.
#include <fmt/format.h>

#include <algorithm>

#include "cli/replay_outcome.h"
#include "cli/table.h"
#include "design/text.h"

namespace weir::cli {
namespace {

using design::count_text;

std::string sessions_text(const traffic::Profile& p) {
  return "sessions: " + count_text(p.sessions) + "; half have " +
         count_text(p.median_session_requests) + " requests at most, and last " +
         wait_text({static_cast<std::uint64_t>(p.median_session_ns)}) + " at most\n";
}

std::string repeats_text(const traffic::Profile& p) {
  if (p.refused == 0) return "";
  return count_text(p.refused) + " requests were refused then (429, 503); " +
         count_text(p.repeats) + fmt::format(" repeat a refused one: {:.2f} x", p.inflation()) +
         " the requests that would have come without\n";
}

std::string and_more(std::size_t all, std::size_t shown) {
  return all > shown ? "  and " + count_text(all - shown) + " more\n" : "";
}

std::string suspects_text(const ReplayOutcome& o) {
  const auto& suspects = o.profile.suspects;
  if (suspects.empty() || o.top == 0) return "";
  Table table(
      {"key like a scanner or abuser", "requests", "busiest minute", "4xx", "denied here", "why"});
  for (std::size_t i = 0; i < std::min(o.top, suspects.size()); ++i) {
    const traffic::Suspect& s = suspects[i];
    table.add({o.policy.keys->name(s.key), count_text(s.requests), count_text(s.busiest_minute),
               count_text(s.failed), count_text(o.policy.tally->keys()[s.key].count.denied),
               std::string(traffic::name(s.why))});
  }
  return "\n" + table.text() + and_more(suspects.size(), o.top);
}

std::string shared_text(const ReplayOutcome& o) {
  const auto& shared = o.profile.shared;
  if (shared.empty() || o.top == 0) return "";
  Table table({"address that several share", "requests", "identities", "user agents", "users"});
  for (std::size_t i = 0; i < std::min(o.top, shared.size()); ++i) {
    const traffic::SharedAddress& s = shared[i];
    table.add({s.address, count_text(s.requests), count_text(s.identities), count_text(s.agents),
               "up to " + count_text(s.users())});
  }
  return "\n" + table.text() + and_more(shared.size(), o.top);
}

}  // namespace

std::string profile_text(const ReplayOutcome& o) {
  return "\n" + sessions_text(o.profile) + repeats_text(o.profile) + suspects_text(o) +
         shared_text(o);
}

}  // namespace weir::cli
