// An engine on policy text and a manual clock, for tests: ask("GET", "/x", {.ip = ...}).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decide/engine.h"
#include "weir/clock.h"

namespace weir::decide::testing {

// 2026-11-30T00:00:00Z.
inline constexpr Instant kMidnight{1'796'000'000'000'000'000 - 3'200'000'000'000};

// The name of a policy that is in no file: nothing a user keeps in a folder can be read instead.
inline constexpr const char* kNoFile = "/dev/null/policy.yaml";

struct Ask {
  std::string ip = "203.0.113.7";
  std::string api_key{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<identity::StatedCost> costs{};
  bool peek = false;
  identity::StageFilter stage = identity::StageFilter::all;
  Duration max_delay = Duration::max();
  bool may_hold = false;
};

// Key "k-NAME" for each account of a CSV made by `account`.
inline std::string account_line(std::string_view key, std::string_view tier, std::string_view name,
                                std::string_view overrides = {}) {
  std::string line = identity::to_hex(identity::hash_api_key(key));
  line.append(",").append(tier).append(",").append(name);
  if (!overrides.empty()) line.append(",").append(overrides);
  return line + "\n";
}

class Harness {
 public:
  explicit Harness(std::string_view text, std::string_view accounts = {}, Instant wall = kMidnight)
      : clock(wall, {1'000'000'000}) {
    Engine::Opened opened = Engine::open_text(text, kNoFile, accounts);
    for (const policy::Finding& f : opened.findings) {
      if (f.severity == policy::Severity::error) ADD_FAILURE() << f.text();
    }
    engine = std::move(opened.engine);
  }

  Decision ask(std::string_view method, std::string_view target, const Ask& ask = {}) {
    std::vector<identity::Field> headers;
    for (const auto& [name, value] : ask.headers) headers.push_back({name, value});
    if (!ask.api_key.empty()) headers.push_back({"X-Api-Key", ask.api_key});
    std::vector<identity::Field> attributes;
    for (const auto& [name, value] : ask.attributes) attributes.push_back({name, value});
    identity::Facts facts;
    facts.method = method;
    facts.target = target;
    if (!ask.ip.empty()) facts.client = policy::Address::parse(ask.ip);
    facts.headers = headers;
    facts.attributes = attributes;
    facts.costs = ask.costs;
    facts.peek = ask.peek;
    facts.stage = ask.stage;
    facts.max_delay = ask.max_delay;
    facts.may_hold = ask.may_hold;
    held.push_back(engine->snapshot());
    return engine->decide(*held.back(), facts, clock.now());
  }

  // How many of `n` identical requests at this instant are admitted.
  int admitted(int n, std::string_view method, std::string_view target, const Ask& a = {}) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += ask(method, target, a).admit ? 1 : 0;
    return count;
  }

  const policy::Policy& policy() const { return *engine->snapshot()->policy; }
  std::string limit_name(const Decision& d, std::size_t i) const {
    return policy().limits[d.verdicts[i].limit].name;
  }
  std::string governing(const Decision& d) const {
    return d.governing == kNoLimit ? "none" : limit_name(d, d.governing);
  }
  const LimitVerdict* verdict(const Decision& d, std::string_view name) const {
    for (const LimitVerdict& v : d.limits()) {
      if (policy().limits[v.limit].name == name) return &v;
    }
    return nullptr;
  }
  std::string class_name(const Decision& d) const { return policy().classes[d.class_id].name; }
  std::string tier_name(const Decision& d) const { return policy().tiers[d.tier].name; }

  ManualClock clock;
  std::unique_ptr<Engine> engine;
  std::vector<std::shared_ptr<const Snapshot>> held;  // decisions point into them
};

}  // namespace weir::decide::testing
