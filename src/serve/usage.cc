#include "serve/usage.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "base/json_writer.h"
#include "decide/charge_list.h"
#include "identity/caller.h"
#include "serve/verdict_json.h"

namespace weir::serve {

namespace {

// The outcomes of one look, put where their verdicts are.
class IntoVerdicts final : public store::Sink {
 public:
  IntoVerdicts(const decide::ChargeList& list, decide::Decision& decision)
      : list_(list), decision_(decision) {}

  void decided(const store::Verdict& verdict) override {
    for (std::size_t i = 0; i < verdict.outcomes.size(); ++i) {
      decision_.verdicts[list_.verdict_of(i)].outcome = verdict.outcomes[i];
    }
  }

 private:
  const decide::ChargeList& list_;
  decide::Decision& decision_;
};

using Seen = std::set<std::tuple<policy::LimitId, std::uint64_t, std::uint64_t>>;

void append_limit(base::JsonWriter& json, const policy::Policy& policy, const decide::Decision& d,
                  const decide::LimitVerdict& v) {
  const policy::Limit& limit = policy.limits[v.limit];
  const bool by_class = std::any_of(limit.key.begin(), limit.key.end(),
                                    [](const policy::KeyPart& part) { return part.is_class; });
  json.begin_object();
  json.member("name", limit.name);
  json.key("class");
  if (by_class) {
    json.value(policy.classes[d.class_id].name);
  } else {
    json.null();
  }
  json.member("unit", policy.units[limit.unit]);
  json.member("limit", v.outcome.limit);
  json.member("used", v.outcome.limit - v.outcome.remaining);
  json.member("remaining", v.outcome.remaining);
  append_limit_end(json, v);
  json.end_object();
}

void append_class(base::JsonWriter& json, decide::Engine& engine, const decide::Snapshot& snapshot,
                  const identity::Facts& facts, identity::Caller& caller, Now now,
                  decide::Decision& d, Seen& seen) {
  d.count = 0;
  decide::ChargeList list;
  list.collect(snapshot, facts, caller, now, d);
  if (!list.charges().empty()) {
    IntoVerdicts sink(list, d);
    const store::Request request{list.charges(), true};
    engine.store().charge({&request, 1}, now, sink);
  }
  for (const decide::LimitVerdict& v : d.limits()) {
    if (!seen.insert({v.limit, v.key.hi, v.key.lo}).second) continue;
    append_limit(json, *snapshot.policy, d, v);
  }
}

}  // namespace

void append_usage(std::string& out, decide::Engine& engine, const decide::Snapshot& snapshot,
                  const identity::Facts& facts, Now now) {
  const policy::Policy& policy = *snapshot.policy;
  identity::Caller caller(policy, snapshot.accounts.get(), facts);
  const auto decision = std::make_unique<decide::Decision>();
  decision->peek = true;
  decision->now = now;
  decision->tier = caller.tier();
  base::JsonWriter json(out);
  json.begin_object();
  json.member("tier", policy.tiers[decision->tier].name);
  json.key("account");
  if (caller.account() == nullptr) {
    json.null();
  } else {
    json.value(caller.account()->name);
  }
  json.key("limits");
  json.begin_array();
  Seen seen;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (policy.classes[c].exempt) continue;
    decision->class_id = static_cast<policy::ClassId>(c);
    append_class(json, engine, snapshot, facts, caller, now, *decision, seen);
  }
  json.end_array();
  json.end_object();
}

}  // namespace weir::serve
