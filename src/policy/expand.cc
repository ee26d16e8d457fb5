// Sugar for newcomers, taken apart: see expand.h.
#include "policy/expand.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/compile.h"
#include "policy/loader.h"
#include "policy/quantity.h"

namespace weir::policy {

namespace {

bool is_word(const Node& node) {
  return node.is_scalar() && (node.text == "deny" || node.text == "unlimited");
}

void remove(Node& mapping, std::string_view key) {
  std::erase_if(mapping.entries, [&](const Entry& e) { return e.key == key; });
}

Node one_item_list(Node item) {
  Node list = Node::sequence(item.at);
  list.items.push_back(std::move(item));
  return list;
}

Node& list_of(Node& root, std::string_view key, Position at) {
  Node* list = root.find(key);
  return list != nullptr ? *list : root.add(key, Node::sequence(at));
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
      remove(value, "limits");
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

// The classes that `costs` and the tiers' `costs` make, one a pattern.
class Costs {
 public:
  Costs(Node& root, Report& report) : root_(root), report_(report) {}

  void expand() {
    if (Node* tiers = root_.find("tiers"); tiers != nullptr && tiers->is_mapping()) {
      for (Entry& tier : tiers->entries) take_tier(tier);
    }
    if (Node* costs = root_.find("costs"); costs != nullptr && costs->is_mapping()) {
      for (Entry& entry : costs->entries) take(entry);
    }
    remove(root_, "costs");
    if (made_.empty()) return;
    Node& classes = list_of(root_, "classes", made_[0].at);
    if (!classes.is_sequence()) return;
    for (Made& made : made_) classes.items.push_back(class_of(made));
    // File order decides among patterns, wherever they are written.
    std::stable_sort(classes.items.begin(), classes.items.end(), [](const Node& a, const Node& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
  }

 private:
  struct Made {
    std::string pattern;
    Position at;
    Node by_tier;
  };

  Made& made_for(const Entry& entry) {
    const auto [place, fresh] = index_.emplace(entry.key, made_.size());
    if (!fresh) return made_[place->second];
    made_.push_back({entry.key, entry.at, Node::mapping(entry.at)});
    return made_.back();
  }

  void add(Made& made, const std::string& tier, const Node& cost) {
    if (const Entry* other = made.by_tier.find_entry(tier)) {
      report_.error(cost.at,
                    "`" + made.pattern + "` has two costs" +
                        (tier == "*" ? std::string() : " for tier `" + tier + "`"),
                    "the first is in line " + std::to_string(other->value.at.line));
      return;
    }
    made.by_tier.add(tier, cost);
  }

  void take_tier(Entry& tier) {
    Node* costs = tier.value.is_mapping() ? tier.value.find("costs") : nullptr;
    if (costs == nullptr) return;
    if (costs->is_mapping() && !costs->bad) {
      for (Entry& entry : costs->entries) {
        if (!entry.value.bad) add(made_for(entry), tier.key, entry.value);
      }
    }
    remove(tier.value, "costs");
  }

  void take(Entry& entry) {
    if (entry.value.bad) return;
    Made& made = made_for(entry);
    if (!entry.value.is_mapping()) return add(made, "*", entry.value);
    for (Entry& tier : entry.value.entries) {
      if (!tier.value.bad) add(made, tier.key, tier.value);
    }
  }

  static Node class_of(Made& made) {
    Node node = Node::mapping(made.at);
    node.add("name", Node::scalar(made.pattern, made.at, true));
    node.add("match", one_item_list(Node::scalar(made.pattern, made.at, true)));
    Node cost = Node::mapping(made.at);
    cost.add("points", std::move(made.by_tier));
    node.add("cost", std::move(cost));
    return node;
  }

  Node& root_;
  Report& report_;
  std::vector<Made> made_;
  std::map<std::string, std::size_t, std::less<>> index_;  // by pattern
};

void expand_global(Node& root) {
  const Node* given = root.find("global");
  if (given == nullptr) return;
  const Result<Rate> rate = given->bad ? Result<Rate>(Error{}) : parse_rate(given->text);
  if (rate) {
    const Position at = given->at;
    Node limit = Node::mapping(at);
    limit.add("name", Node::scalar("global", at));
    limit.add("key", Node::sequence(at));
    limit.add("unit", Node::scalar(rate->unit.empty() ? "requests" : rate->unit, at));
    limit.add("rate", Node::scalar(print_rate(rate->count, rate->period), at));
    Node& limits = list_of(root, "limits", at);
    if (limits.is_sequence()) limits.items.push_back(std::move(limit));
  }
  remove(root, "global");
}

void expand_store(Node& root) {
  Node* store = root.find("store");
  if (store == nullptr || store->bad || !store->is_scalar()) return;
  const Position at = store->at;
  *store = Node::mapping(at);
  store->add("type", Node::scalar("memory", at));
}

// `identity.keys.api_key` says the same as `identity.api_key`.
void expand_api_key(Node& root, Report& report) {
  Node* identity = root.find("identity");
  Node* keys = identity == nullptr ? nullptr : identity->find("keys");
  if (keys == nullptr || !keys->is_mapping()) return;
  const Entry* given = keys->find_entry("api_key");
  if (given == nullptr) return;
  Entry entry = *given;
  remove(*keys, "api_key");
  if (const Entry* other = identity->find_entry("api_key")) {
    report.error(entry.at, "`api_key` is given twice",
                 "the other is in line " + std::to_string(other->at.line));
    return;
  }
  identity->entries.push_back(std::move(entry));
}

void listify(Node* list, std::initializer_list<std::string_view> keys) {
  if (list == nullptr || !list->is_sequence()) return;
  for (Node& item : list->items) {
    for (const std::string_view key : keys) {
      Node* value = item.is_mapping() ? item.find(key) : nullptr;
      if (value == nullptr || value->bad || !value->is_scalar()) continue;
      if (key == "key" && value->text == "global") {
        *value = Node::sequence(value->at);
      } else if (value->text != "*" || key == "except") {
        *value = one_item_list(*value);
      }
    }
  }
}

}  // namespace

void expand(Node& root, Report& report) {
  if (!root.is_mapping()) return;
  expand_store(root);
  expand_api_key(root, report);
  Plans(root, report).expand();
  Costs(root, report).expand();
  expand_global(root);
  listify(root.find("limits"), {"classes", "except", "key", "warn_at"});
  listify(root.find("classes"), {"match"});
  listify(root.find("guarantees"), {"classes"});
}

}  // namespace weir::policy
