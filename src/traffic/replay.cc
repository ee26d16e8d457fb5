#include "traffic/replay.h"

#include <map>
#include <thread>

#include "identity/caller.h"
#include "identity/show.h"
#include "policy/policy.h"
#include "traffic/ahead.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kManyEvents = 4'096;  // for which a second thread is started

identity::Facts caller_facts(const CallerFacts& who) {
  identity::Facts facts;
  facts.client = who.address;
  facts.headers = who.headers;
  facts.attributes = who.attributes;
  return facts;
}

std::string name_of(const decide::Snapshot& snapshot, const CallerFacts& who) {
  const identity::Facts facts = caller_facts(who);
  identity::Caller caller(*snapshot.policy, snapshot.accounts.get(), facts);
  if (const identity::Account* account = caller.account()) return "account " + account->name;
  for (const policy::KeyId key : {policy::kApiKey, policy::kUserKey}) {
    const auto value = caller.value(key);
    if (!value) continue;
    const policy::IdentityKey& about = snapshot.policy->identity.keys[key];
    return about.name + " " + identity::show_value(about.show, *value);
  }
  if (who.named) return std::string(identity::show_value(policy::Show::plain, who.client));
  if (caller.address()) return caller.address()->text();
  return "no address";
}

}  // namespace

identity::Facts facts_of(const Events& events, std::size_t i) {
  const Event event = events.at(i);
  identity::Facts facts = caller_facts(events.caller(event.caller));
  facts.method = events.method(event.request);
  facts.target = events.target(event.request);
  facts.costs = events.costs(i);
  return facts;
}

Replay::Replay(decide::Engine& engine, const Events& events)
    : engine_(engine), events_(events), snapshot_(engine.snapshot()) {
  const bool pays = events.size() >= kManyEvents && std::thread::hardware_concurrency() > 1;
  if (pays) ahead_ = std::make_unique<Ahead>(engine, *snapshot_, events);
}

Replay::~Replay() = default;

const decide::Decision& Replay::decide(std::size_t i) {
  return ahead_ != nullptr ? ahead_->next() : decide_at(i, event_instant(i));
}

const decide::Decision& Replay::decide_at(std::size_t i, Instant at) {
  engine_.decide(*snapshot_, facts_of(events_, i), {at, 0}, decision_);
  return decision_;
}

Keys::Keys(const decide::Snapshot& snapshot, const Events& events) {
  std::map<std::string, std::uint32_t> known;
  key_of_caller_.reserve(events.callers());
  for (std::uint32_t id = 0; id < events.callers(); ++id) {
    std::string name = name_of(snapshot, events.caller(id));
    const auto [at, is_new] = known.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(std::move(name));
    key_of_caller_.push_back(at->second);
  }
}

}  // namespace weir::traffic
