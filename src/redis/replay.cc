#include "redis/replay.h"

#include <algorithm>

namespace weir::redis {
namespace {

constexpr std::size_t kBitsPerWord = 48;

bool keeps_log(const store::Charge& charge) {
  return charge.numbers->algorithm == Algorithm::sliding_log;
}

// What has to leave before `asked` fits, 0 where it fits at once or never.
std::uint64_t in_the_way(std::uint64_t used, std::uint64_t limit, std::uint64_t asked) {
  return asked > limit ? 0 : detail::saturating_sub(used, limit - asked);
}

}  // namespace

bool Replay::run() {
  if (!read()) return false;
  batch_.outcomes_.assign(batch_.items_.size(), {});
  for (Batch::Request& request : batch_.requests_) {
    if (!decide(request)) return false;
  }
  return true;
}

bool Replay::take(std::size_t bytes, std::string_view& part) {
  if (reply_.size() < bytes) return false;
  part = reply_.substr(0, bytes);
  reply_.remove_prefix(bytes);
  return true;
}

bool Replay::read() {
  std::string_view part;
  if (!take(8, part)) return false;
  const std::uint64_t now_us = read_whole(part);
  if (now_us > base::kMaxU64 / 1'000) return false;
  batch_.now_ = {{now_us * 1'000}, 0};
  bits_.resize(std::max<std::size_t>(1, (batch_.items_.size() + kBitsPerWord - 1) / kBitsPerWord));
  for (std::uint64_t& word : bits_) {
    if (!take(6, part)) return false;
    word = read_whole(part);
  }
  return read_states() && read_logs() && reply_.empty();
}

std::size_t Replay::state_bytes(Batch::Class c) const {
  switch (c) {
    case Batch::kBuckets:
      return kBucketBytes;
    case Batch::kFixed:
      return kFixedBytes;
    case Batch::kSliding:
      return kSlidingBytes;
    default:
      return 0;
  }
}

bool Replay::read_states() {
  std::array<std::string_view, Batch::kClasses> parts;
  for (std::size_t c = 0; c < Batch::kClasses; ++c) {
    if (!take(batch_.class_size_[c] * state_bytes(static_cast<Batch::Class>(c)), parts[c])) {
      return false;
    }
  }
  states_.assign(batch_.keys_.size(), {});
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Batch::Key& key = batch_.keys_[i];
    const Batch::Class c = Batch::class_of(key.charge.numbers->algorithm);
    if (c == Batch::kLogs) continue;
    const std::size_t size = state_bytes(c);
    states_[i] =
        found_state(parts[c].substr(key.place * size, size), *key.charge.numbers, batch_.now_);
  }
  return true;
}

bool Replay::read_logs() {
  logs_.assign(batch_.items_.size(), {});
  for (const Batch::Request& request : batch_.requests_) {
    if (request.kind == Batch::Kind::refund) continue;
    for (std::size_t i = request.first; i < request.first + request.count; ++i) {
      std::string_view part;
      if (!keeps_log(batch_.items_[i].charge)) continue;
      if (!take(24, part)) return false;
      const std::uint64_t leaves = read_whole(part.substr(16, 8));
      logs_[i] = {read_whole(part.substr(0, 8)),
                  Instant{} + microseconds(read_whole(part.substr(8, 8))), std::nullopt};
      if (leaves != 0) logs_[i].leaves = Instant{} + microseconds(leaves - 1);
    }
  }
  return true;
}

bool Replay::decide(Batch::Request& request) {
  request.admit = true;
  if (request.kind == Batch::Kind::refund) {
    refund(request);
    return true;
  }
  group(request);
  if (request.count > 0) note_full_at(request);
  for (std::size_t i = 0; i < request.count; ++i) {
    if (!check(request, i)) return false;
    if (!item(request, i).charge.shadow && !outcome(request, i).admit) request.admit = false;
  }
  if (request.stage && request.admit && !note_before(request)) return false;
  for (std::size_t i = 0; i < request.count; ++i) {
    if (!settle(request, i)) return false;
  }
  if (!request.admit || request.kind == Batch::Kind::peek) return true;
  for (std::size_t i = 0; i < request.count; ++i) {
    const Group& g = groups_[group_of_[i]];
    states_[g.key] = g.state;
  }
  return true;
}

void Replay::refund(const Batch::Request& request) {
  for (std::size_t i = 0; i < request.count; ++i) {
    const store::Charge& c = item(request, i).charge;
    if (keeps_log(c) || !had_room(request.first + i)) continue;
    algo::State& state = states_[item(request, i).key];
    state = algo::refund(*c.numbers, state, c.cost, batch_.now_);
  }
}

void Replay::group(const Batch::Request& request) {
  for (std::size_t i = 0; i < request.count; ++i) {
    const std::uint32_t key = item(request, i).key;
    std::size_t at = 0;
    while (at < i && item(request, at).key != key) ++at;
    group_of_[i] = static_cast<std::uint8_t>(at);
    if (at == i) groups_[i] = {key, 0, states_[key], 0};
  }
}

void Replay::note_full_at(Batch::Request& request) const {
  const std::size_t last = request.first + request.count - 1u;
  const algo::Numbers& numbers = *batch_.items_[last].charge.numbers;
  if (keeps_log(batch_.items_[last].charge)) {
    request.full_at =
        logs_[last].used == 0 ? Instant{} : logs_[last].newest + Duration{numbers.period_ns};
  } else {
    request.full_at = algo::full_at(numbers, states_[batch_.items_[last].key], batch_.now_);
  }
}

// What `settle` would say of a denied request whose charges here all had their room.
bool Replay::note_before(const Batch::Request& request) {
  batch_.before_.resize(batch_.outcomes_.size());
  for (std::size_t i = 0; i < request.count; ++i) {
    if (!note_before(request, i)) return false;
  }
  for (std::size_t i = 0; i < request.count; ++i) groups_[group_of_[i]].sum = 0;
  return true;
}

bool Replay::note_before(const Batch::Request& request, std::size_t i) {
  const store::Charge& c = item(request, i).charge;
  const std::size_t at = request.first + i;
  Group& g = groups_[group_of_[i]];
  const bool room = outcome(request, i).admit;
  const std::uint64_t with = detail::saturating_add(g.sum, c.cost);
  Outcome& before = batch_.before_[request.first + batch_.at_[at]];
  if (!room) {
    before = outcome(request, i);
  } else if (keeps_log(c)) {
    algo::Log log;
    FoundLog found = logs_[at];
    found.leaves.reset();
    if (!found_log(found, *c.numbers, 0, 0, batch_.now_, log)) return false;
    before = log.peek(*c.numbers, with, batch_.now_);
  } else {
    before = algo::peek(*c.numbers, states_[g.key], with, batch_.now_, c.max_delay);
  }
  if (room) g.sum = with;
  return true;
}

// As the script checks: each charge against what those before it have left.
bool Replay::check(const Batch::Request& request, std::size_t i) {
  const store::Charge& c = item(request, i).charge;
  Group& g = groups_[group_of_[i]];
  Outcome& out = outcome(request, i);
  if (keeps_log(c)) {
    algo::Log log;
    if (!found_log(logs_[request.first + i], *c.numbers, 0, 0, batch_.now_, log)) return false;
    out = log.peek(*c.numbers, detail::saturating_add(g.cost, c.cost), batch_.now_);
  } else {
    algo::Change change;
    algo::charge(*c.numbers, g.state, c.cost, batch_.now_, c.max_delay, out, change);
    // A denial keeps the state, but for one beyond what can be owed: that is written at once.
    if (!out.admit && g.cost == 0 && request.kind == Batch::Kind::charge) {
      states_[g.key] = change.next;
      g.state = change.next;
    }
    if (out.admit) g.state = change.next;
  }
  if (out.admit) g.cost = detail::saturating_add(g.cost, c.cost);
  return out.admit == had_room(request.first + i);
}

// On an admission outcomes show the counters after it. Otherwise nothing was charged: they show the
// counters as they were, and the verdict on the whole of what the request wanted from each.
bool Replay::settle(const Batch::Request& request, std::size_t i) {
  const store::Charge& c = item(request, i).charge;
  if (keeps_log(c)) return settle_log(request, i);
  if (request.admit && request.kind == Batch::Kind::charge) return true;
  Group& g = groups_[group_of_[i]];
  Outcome& out = outcome(request, i);
  const bool room = out.admit;
  if (g.sum == 0 && !room) return true;  // its denial says just that
  const std::uint64_t with = detail::saturating_add(g.sum, c.cost);
  out = algo::peek(*c.numbers, states_[g.key], with, batch_.now_, c.max_delay);
  if (room) g.sum = with;
  return true;
}

bool Replay::settle_log(const Batch::Request& request, std::size_t i) {
  const store::Charge& c = item(request, i).charge;
  Group& g = groups_[group_of_[i]];
  Outcome& out = outcome(request, i);
  const FoundLog& found = logs_[request.first + i];
  const bool room = out.admit;
  const bool after = request.admit && request.kind == Batch::Kind::charge;
  const bool charged = after && room && c.cost != 0;
  const std::uint64_t cost = after ? c.cost : detail::saturating_add(g.sum, c.cost);
  const std::uint64_t before = after ? g.sum : 0;  // what this request has charged already
  const std::uint64_t needed =
      in_the_way(detail::saturating_add(found.used, before + (charged ? c.cost : 0)),
                 c.numbers->count, std::max<std::uint64_t>(cost, 1));
  if ((needed != 0) != found.leaves.has_value()) return false;
  algo::Log log;
  if (!found_log(found, *c.numbers, needed, before, batch_.now_, log)) return false;
  out =
      charged ? log.charge(*c.numbers, cost, batch_.now_) : log.peek(*c.numbers, cost, batch_.now_);
  if (room) g.sum += c.cost;
  return out.admit || !charged;
}

}  // namespace weir::redis
