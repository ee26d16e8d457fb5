// `costs`, and the costs of tiers: a class a pattern.
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
    remove_key(root_, "costs");
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
    remove_key(tier.value, "costs");
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

}  // namespace

void expand_costs(Node& root, Report& report) { Costs(root, report).expand(); }

}  // namespace weir::policy
