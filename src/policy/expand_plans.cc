// The rates of `tiers`: one limit a period, with key [client].
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/compile.h"
#include "policy/expand_parts.h"
#include "policy/loader.h"
#include "policy/quantity.h"

namespace weir::policy {

namespace {

bool is_word(const Node& node) {
  return node.is_scalar() && (node.text == "deny" || node.text == "unlimited");
}

// What one tier of the short form says: its rates, or a word for all of them.
struct TierRates {
  std::string tier;
  Position at;
  std::vector<Node> rates;
  std::string word;
};

struct PlanLimit {
  Duration period;
  std::string unit;
  Position at;
  Node tiers;
};

class Plans {
 public:
  Plans(Node& root, Report& report) : root_(root), report_(report) {}

  void expand() {
    Node* tiers = root_.find("tiers");
    if (tiers == nullptr || !tiers->is_mapping()) return;
    if (tiers->entries.size() > kMaxTiers) return;  // reported by compile_tiers
    for (Entry& entry : tiers->entries) read_tier(entry);
    const bool any = std::any_of(tiers_.begin(), tiers_.end(), [](const TierRates& t) {
      return !t.rates.empty() || !t.word.empty();
    });
    if (!any) return;
    for (const TierRates& tier : tiers_) {
      if (!tier.rates.empty() || !tier.word.empty()) continue;
      report_.error(tier.at, "tier `" + tier.tier + "` has no limits, and others do",
                    "give it rates, `deny` or `unlimited`", "WR133");
    }
    for (const TierRates& tier : tiers_) place(tier);
    std::stable_sort(plans_.begin(), plans_.end(),
                     [](const PlanLimit& a, const PlanLimit& b) { return a.period < b.period; });
    complete();
    add_limits();
  }

 private:
  void read_tier(Entry& entry) {
    TierRates tier{entry.key, entry.at, {}, {}};
    Node& value = entry.value;
    if (value.bad) {
      bad_ = true;
      return;
    }
    Node* given = value.is_mapping() ? value.find("limits") : &value;
    if (given != nullptr && given->bad) {
      bad_ = true;
    } else if (given != nullptr && is_word(*given)) {
      tier.word = given->text;
    } else if (given != nullptr && given->is_scalar()) {
      tier.rates.push_back(*given);
    } else if (given != nullptr) {
      tier.rates = given->items;
      if (given->items.empty()) {
        report_.error(given->at, "tier `" + entry.key + "` has an empty list of rates",
                      "write `unlimited` or `deny`");
      }
    }
    if (value.is_mapping()) {
      remove_key(value, "limits");
    } else {
      value = Node::mapping(value.at);
    }
    tiers_.push_back(std::move(tier));
  }

  void place(const TierRates& tier) {
    for (const Node& rate_node : tier.rates) {
      if (rate_node.bad) continue;
      const Result<Rate> rate = parse_rate(rate_node.text);
      if (!rate) continue;
      const std::string unit = rate->unit.empty() ? "points" : rate->unit;
      PlanLimit& plan = plan_of(rate->period, unit, rate_node.at);
      if (const Entry* other = plan.tiers.find_entry(tier.tier)) {
        report_.error(rate_node.at, "tier `" + tier.tier + "` has two rates a " + word(plan),
                      "the first is in line " + std::to_string(other->value.at.line));
      } else if (plan.unit != unit) {
        report_.error(rate_node.at,
                      "this rate counts " + unit + ", but the one in line " +
                          std::to_string(plan.at.line) + " counts " + plan.unit,
                      "the tiers' rates of one period make one limit; give all one unit, or write "
                      "`limits`");
      } else {
        Node numbers = Node::scalar(print_rate(rate->count, rate->period), rate_node.at);
        plan.tiers.entries.push_back({tier.tier, rate_node.at, std::move(numbers)});
      }
    }
  }

  PlanLimit& plan_of(Duration period, const std::string& unit, Position at) {
    for (PlanLimit& plan : plans_) {
      if (plan.period == period) return plan;
    }
    plans_.push_back({period, unit, at, Node::mapping(at)});
    return plans_.back();
  }

  static std::string word(const PlanLimit& plan) { return period_word(plan.period); }

  // Each limit names every tier, in rank order: those without a rate of its period have none.
  void complete() {
    const bool any_word = std::any_of(tiers_.begin(), tiers_.end(),
                                      [](const TierRates& t) { return t.word == "deny"; });
    if (plans_.empty() && any_word && !bad_) {
      plans_.push_back({{}, "points", tiers_[0].at, Node::mapping(tiers_[0].at)});
    }
    for (PlanLimit& plan : plans_) {
      Node all = Node::mapping(plan.at);
      for (const TierRates& tier : tiers_) {
        Node* given = plan.tiers.find(tier.tier);
        const std::string word = tier.word == "deny" ? "deny" : "unlimited";
        all.add(tier.tier, given != nullptr ? *given : Node::scalar(word, tier.at));
      }
      plan.tiers = std::move(all);
    }
  }

  void add_limits() {
    std::vector<Node> made;
    for (PlanLimit& plan : plans_) {
      const std::string name = plan.period.ns == 0 ? "plan" : "plan-" + word(plan);
      Node limit = Node::mapping(plan.at);
      limit.add("name", Node::scalar(name, plan.at));
      limit.add("key", one_item_list(Node::scalar("client", plan.at)));
      limit.add("unit", Node::scalar(plan.unit, plan.at));
      limit.add("tiers", std::move(plan.tiers));
      made.push_back(std::move(limit));
    }
    if (made.empty()) return;
    Node& limits = list_of(root_, "limits", made[0].at);
    if (limits.is_sequence()) {
      limits.items.insert(limits.items.begin(), std::make_move_iterator(made.begin()),
                          std::make_move_iterator(made.end()));
    }
  }

  Node& root_;
  Report& report_;
  std::vector<TierRates> tiers_;
  std::vector<PlanLimit> plans_;
  bool bad_ = false;
};

}  // namespace

void expand_plans(Node& root, Report& report) { Plans(root, report).expand(); }

}  // namespace weir::policy
