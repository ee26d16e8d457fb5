#include "traffic/profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "traffic/repeats.h"
#include "traffic/sessions.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::int64_t kAtOnce = 1'000'000'000;
constexpr std::uint32_t kNobody = 0xffff'ffff;
constexpr std::uint32_t kMostUnmixed = 4;  // shared: more minutes than that had two agents

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool says_bot(std::string_view user_agent) {
  const std::string text = lower(user_agent);
  for (const char* word : {"bot/", "bot;", "bot)", "bot ", "crawler", "spider", "slurp"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return text.ends_with("bot");
}

// What is known of one key on the way through the log.
struct KeyState {
  std::int64_t minute = -1;
  std::int64_t refused_at = kNoTime;  // the last request was refused then
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;
  std::uint64_t pressed_on = 0;  // refusals followed by a request at once
  std::uint32_t in_minute = 0;
  std::uint32_t busiest_minute = 0;
};

// The same of one address.
struct AddressState {
  std::int64_t minute = -1;
  std::uint64_t requests = 0;
  std::uint32_t agent = kNobody;  // the minute's first
  std::uint32_t mixed_minutes = 0;
  bool mixed = false;  // the minute
};

// Callers, by address and by user agent.
struct Crowd {
  std::vector<std::uint32_t> address_of, agent_of;  // by caller
  std::vector<std::string> addresses;
  std::vector<std::uint32_t> agents, identities;  // different ones, by address

  Crowd(const Events& events, const Keys& keys) {
    std::map<std::string, std::uint32_t, std::less<>> known_addresses;
    std::map<std::string_view, std::uint32_t> known_agents;
    std::vector<std::set<std::uint32_t>> agents_at, keys_at;
    for (std::uint32_t id = 0; id < events.callers(); ++id) {
      const CallerFacts& who = events.caller(id);
      std::string text = who.named || !who.address ? std::string(who.client) : who.address->text();
      const auto [at, is_new] = known_addresses.emplace(std::move(text), addresses.size());
      if (is_new) {
        addresses.push_back(at->first);
        agents_at.emplace_back();
        keys_at.emplace_back();
      }
      const auto agent =
          known_agents.emplace(who.user_agent, static_cast<std::uint32_t>(known_agents.size()));
      address_of.push_back(at->second);
      agent_of.push_back(agent.first->second);
      if (!who.user_agent.empty()) agents_at[at->second].insert(agent.first->second);
      // A key that is the address itself names nobody.
      if (keys.name(keys.of(id)) != at->first) keys_at[at->second].insert(keys.of(id));
    }
    for (const auto& set : agents_at) agents.push_back(static_cast<std::uint32_t>(set.size()));
    for (const auto& set : keys_at) identities.push_back(static_cast<std::uint32_t>(set.size()));
  }
};

// The least busiest minute that is beyond the gap; none: there is no gap.
std::uint64_t far_above(const std::vector<KeyState>& keys) {
  std::vector<std::uint64_t> peaks;
  for (const KeyState& key : keys) {
    if (key.requests > 0) peaks.push_back(key.busiest_minute);
  }
  std::sort(peaks.begin(), peaks.end());
  for (std::size_t i = peaks.size() * 95 / 100 + 1; i < peaks.size(); ++i) {
    if (peaks[i] >= Suspect::kFewest && peaks[i] >= 3 * peaks[i - 1]) return peaks[i];
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::optional<Suspicion> suspicion(const KeyState& key, std::uint64_t far, bool bot) {
  if (key.busiest_minute >= far) return Suspicion::far_above;
  if (key.requests >= Suspect::kFewest && key.failed * 2 >= key.requests) {
    return Suspicion::failing;
  }
  if (key.refused >= Suspect::kFewest && key.pressed_on * 2 >= key.refused) {
    return Suspicion::ignores_refusal;
  }
  if (bot) return Suspicion::says_bot;
  return std::nullopt;
}

class Profiler {
 public:
  Profiler(const Events& events, const Keys& keys)
      : events_(events),
        keys_(keys),
        crowd_(events, keys),
        by_key_(keys.size()),
        by_address_(crowd_.addresses.size()),
        sessions_(keys.size()) {
    profile_.found.resize(events.requests());
  }

  Profile run() {
    for (std::size_t i = 0; i < events_.size(); ++i) add(events_.at(i));
    sessions_.finish();
    profile_.sessions = sessions_.count();
    profile_.median_session_requests = sessions_.median_requests();
    profile_.median_session_ns = sessions_.median_length_ns();
    name_suspects();
    name_shared();
    return std::move(profile_);
  }

 private:
  void add(const Event& event) {
    const std::uint32_t id = keys_.of(event.caller);
    const bool refused = event.limited || event.status == 503;
    ++profile_.requests;
    profile_.refused += refused ? 1 : 0;
    profile_.repeats += repeats_.add(id, event.request, event.start_ns, refused) ? 1 : 0;
    if (event.status != 400 && event.status != 404 && event.status != 405) {
      profile_.found[event.request] = true;
    }
    sessions_.add(id, event.start_ns);
    add(by_key_[id], event);
    add(by_address_[crowd_.address_of[event.caller]], event);
  }

  static void add(KeyState& key, const Event& event) {
    const bool limited = event.limited;
    const std::int64_t minute = event.start_ns / kMinute;
    key.in_minute = key.minute == minute ? key.in_minute + 1 : 1;
    key.minute = minute;
    key.busiest_minute = std::max(key.busiest_minute, key.in_minute);
    ++key.requests;
    key.failed += event.status >= 400 && event.status < 500 && !limited ? 1 : 0;
    key.refused += limited ? 1 : 0;
    if (key.refused_at != kNoTime && event.start_ns - key.refused_at <= kAtOnce) ++key.pressed_on;
    key.refused_at = limited ? event.start_ns : kNoTime;
  }

  void add(AddressState& address, const Event& event) {
    const std::uint32_t agent = crowd_.agent_of[event.caller];
    const std::int64_t minute = event.start_ns / kMinute;
    if (address.minute != minute) {
      address.minute = minute;
      address.agent = agent;
      address.mixed = false;
    } else if (agent != address.agent && !address.mixed) {
      address.mixed = true;
      ++address.mixed_minutes;
    }
    ++address.requests;
  }

  void name_suspects() {
    std::vector<bool> bots(keys_.size());
    for (std::uint32_t id = 0; id < events_.callers(); ++id) {
      if (says_bot(events_.caller(id).user_agent)) bots[keys_.of(id)] = true;
    }
    const std::uint64_t far = far_above(by_key_);
    for (std::uint32_t id = 0; id < keys_.size(); ++id) {
      const KeyState& key = by_key_[id];
      const auto why = suspicion(key, far, bots[id]);
      if (!why) continue;
      profile_.suspects.push_back(
          {id, *why, key.requests, key.busiest_minute, key.failed, key.refused});
    }
    std::sort(profile_.suspects.begin(), profile_.suspects.end(),
              [this](const Suspect& a, const Suspect& b) {
                return a.requests != b.requests ? a.requests > b.requests
                                                : keys_.name(a.key) < keys_.name(b.key);
              });
  }

  void name_shared() {
    for (std::uint32_t id = 0; id < by_address_.size(); ++id) {
      const AddressState& state = by_address_[id];
      const bool mixed = crowd_.agents[id] >= 4 && state.mixed_minutes > kMostUnmixed;
      if (crowd_.identities[id] < 3 && !mixed) continue;
      profile_.shared.push_back({crowd_.addresses[id], state.requests, crowd_.identities[id],
                                 crowd_.agents[id], state.mixed_minutes});
    }
    std::sort(profile_.shared.begin(), profile_.shared.end(),
              [](const SharedAddress& a, const SharedAddress& b) {
                return a.requests != b.requests ? a.requests > b.requests : a.address < b.address;
              });
  }

  const Events& events_;
  const Keys& keys_;
  const Crowd crowd_;
  std::vector<KeyState> by_key_;
  std::vector<AddressState> by_address_;
  Sessions sessions_;
  Repeats repeats_;
  Profile profile_;
};

}  // namespace

std::string_view name(Suspicion suspicion) {
  switch (suspicion) {
    case Suspicion::far_above:
      return "far above the others";
    case Suspicion::failing:
      return "mostly 4xx";
    case Suspicion::ignores_refusal:
      return "ignores 429";
    case Suspicion::says_bot:
      return "says it is a bot";
  }
  return "";
}

Profile profile(const Events& events, const Keys& keys) { return Profiler(events, keys).run(); }

std::vector<Route> find_routes(const Events& events, const std::vector<bool>& found,
                               const std::vector<Count>& counts) {
  RouteFinder finder;
  for (std::uint32_t id = 0; id < events.requests(); ++id) {
    if (counts[id].requests == 0) continue;
    finder.add(events.method(id), events.target(id), found[id], counts[id]);
  }
  return finder.find();
}

}  // namespace weir::traffic
