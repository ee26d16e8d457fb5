#include "serve/usage.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/json_writer.h"
#include "decide/charge_list.h"
#include "identity/caller.h"
#include "serve/verdict_json.h"

namespace weir::serve {

namespace {

void append_limit(base::JsonWriter& json, const policy::Policy& policy, policy::ClassId class_id,
                  const decide::LimitVerdict& v) {
  const policy::Limit& limit = policy.limits[v.limit];
  const bool by_class = std::any_of(limit.key.begin(), limit.key.end(),
                                    [](const policy::KeyPart& part) { return part.is_class; });
  json.begin_object();
  json.member("name", limit.name);
  json.key("class");
  if (by_class) {
    json.value(policy.classes[class_id].name);
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

}  // namespace

// Goes through the classes and takes what each shows for the first time.
class UsageQuery::Collector {
 public:
  Collector(UsageQuery& query, const identity::Facts& facts, identity::Caller& caller)
      : query_(query), facts_(facts), caller_(caller), decision_(new decide::Decision) {
    decision_->peek = true;
    decision_->now = query.now_;
    decision_->tier = caller.tier();
  }

  void look(policy::ClassId class_id) {
    decision_->class_id = class_id;
    decision_->count = 0;
    decide::ChargeList list;
    list.collect(*query_.snapshot_, facts_, caller_, query_.now_, *decision_);
    Look look{query_.rows_.size(), 0, query_.charges_.size(), list.charges().size()};
    bool asks = false;
    for (std::size_t i = 0; i < decision_->count; ++i) {
      const decide::LimitVerdict& v = decision_->verdicts[i];
      if (!seen_.insert({v.limit, v.key.hi, v.key.lo}).second) continue;
      query_.rows_.push_back({class_id, v, charge_of(list, i)});
      asks = asks || query_.rows_.back().charge != kNoCharge;
    }
    look.rows = query_.rows_.size() - look.first_row;
    if (!asks) return;
    query_.charges_.insert(query_.charges_.end(), list.charges().begin(), list.charges().end());
    query_.looks_.push_back(look);
  }

 private:
  static std::size_t charge_of(const decide::ChargeList& list, std::size_t verdict) {
    for (std::size_t c = 0; c < list.charges().size(); ++c) {
      if (list.verdict_of(c) == verdict) return c;
    }
    return kNoCharge;
  }

  UsageQuery& query_;
  const identity::Facts& facts_;
  identity::Caller& caller_;
  std::unique_ptr<decide::Decision> decision_;
  std::set<std::tuple<policy::LimitId, std::uint64_t, std::uint64_t>> seen_;
};

UsageQuery::UsageQuery(std::shared_ptr<const decide::Snapshot> snapshot,
                       const identity::Facts& facts, Now now)
    : snapshot_(std::move(snapshot)), now_(now) {
  const policy::Policy& policy = *snapshot_->policy;
  identity::Caller caller(policy, snapshot_->accounts.get(), facts);
  tier_ = caller.tier();
  if (caller.account() != nullptr) account_ = caller.account()->name;
  Collector collector(*this, facts, caller);
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (!policy.classes[c].exempt) collector.look(static_cast<policy::ClassId>(c));
  }
}

void UsageQuery::start(store::Store& store) {
  if (looks_.empty()) return done();
  std::vector<store::Request> requests;
  for (const Look& look : looks_) {
    requests.push_back({{charges_.data() + look.first_charge, look.charges}, true});
  }
  waiting_.store(requests.size(), std::memory_order_relaxed);
  store.charge(requests, now_, *this);
}

void UsageQuery::decided(const store::Verdict& verdict) {
  if (verdict.failed) failed_.store(true, std::memory_order_relaxed);
  const Look& look = looks_[verdict.request];
  for (std::size_t i = 0; i < look.rows && !verdict.failed; ++i) {
    Row& row = rows_[look.first_row + i];
    if (row.charge != kNoCharge) row.verdict.outcome = verdict.outcomes[row.charge];
  }
  // What the other threads wrote is seen by the one that comes last.
  if (waiting_.fetch_sub(1, std::memory_order_acq_rel) == 1) done();
}

void UsageQuery::write(std::string& out) const {
  const policy::Policy& policy = *snapshot_->policy;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("tier", policy.tiers[tier_].name);
  json.key("account");
  if (account_.empty()) {
    json.null();
  } else {
    json.value(account_);
  }
  json.key("limits");
  json.begin_array();
  for (const Row& row : rows_) append_limit(json, policy, row.class_id, row.verdict);
  json.end_array();
  json.end_object();
}

}  // namespace weir::serve
