#include "redis/fleet.h"

#include <algorithm>

namespace weir::redis {

void Fleet::adopt(Directory directory, const std::function<void(Waiting&)>& again) {
  directory_ = std::move(directory);
  for (const Address& address : directory_.keepers()) (void)of(address);
  fill_slots();
  leave(again);
}

void Fleet::move(std::uint16_t slot, const Address& to) {
  directory_.move(slot, to);
  Server& server = of(to);
  if (by_slot_.size() == kClusterSlots) by_slot_[slot] = &server;
}

Server& Fleet::of(const Address& address) {
  Member& member = members_[address];
  member.kept = steady_now();
  if (!member.server) {
    member.server = make_(address);
    member.server->start();
  }
  return *member.server;
}

// One for all is one entry.
void Fleet::fill_slots() {
  by_slot_.assign(directory_.slots_served() == 0 ? 1 : kClusterSlots, nullptr);
  for (std::size_t slot = 0; slot < by_slot_.size(); ++slot) {
    const Address* keeper = directory_.keeper(static_cast<std::uint16_t>(slot));
    if (keeper != nullptr) by_slot_[slot] = members_.at(*keeper).server.get();
  }
}

bool Fleet::keeps(const Address& address) const {
  const std::vector<Address>& keepers = directory_.keepers();
  return std::find(keepers.begin(), keepers.end(), address) != keepers.end();
}

void Fleet::leave(const std::function<void(Waiting&)>& again) {
  const Instant now = steady_now();
  std::vector<std::shared_ptr<Server>> left;
  for (auto at = members_.begin(); at != members_.end();) {
    const Member& member = at->second;
    const bool away = member.server->refuses() == Failure::unreachable;
    const bool over = now - member.kept >= kFarewell && member.server->idle();
    if (keeps(at->first) || !(away || over)) {
      ++at;
      continue;
    }
    left.push_back(member.server);
    at = members_.erase(at);
  }
  for (const std::shared_ptr<Server>& server : left) {
    for (Waiting* w : server->take_queue()) again(*w);
    server->stop();
  }
}

void Fleet::flush() {
  // A flush may bring in a server that somebody named.
  flushing_.clear();
  for (const auto& [address, member] : members_) flushing_.push_back(member.server.get());
  for (Server* server : flushing_) server->flush();
}

void Fleet::stop() {
  for (const auto& [address, member] : members_) member.server->stop();
}

unsigned Fleet::connected() const {
  unsigned n = 0;
  for (const auto& [address, member] : members_) n += member.server->connected();
  return n;
}

std::size_t Fleet::ready() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [this](const auto& entry) {
        return keeps(entry.first) && entry.second.server->connected() > 0;
      }));
}

Breaker::State Fleet::breaker() const {
  Breaker::State worst = Breaker::State::closed;
  for (const auto& [address, member] : members_) {
    if (!keeps(address)) continue;
    const Breaker::State state = member.server->breaker();
    if (state == Breaker::State::open) return state;
    if (state == Breaker::State::half_open) worst = state;
  }
  return worst;
}

}  // namespace weir::redis
