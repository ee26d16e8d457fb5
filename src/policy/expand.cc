// Sugar for newcomers, taken apart: see expand.h.
#include "policy/expand.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "policy/expand_parts.h"
#include "policy/loader.h"
#include "policy/quantity.h"

namespace weir::policy {

void remove_key(Node& mapping, std::string_view key) {
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

namespace {

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
  remove_key(root, "global");
}

// `identity.keys.api_key` says the same as `identity.api_key`.
void expand_api_key(Node& root, Report& report) {
  Node* identity = root.find("identity");
  Node* keys = identity == nullptr ? nullptr : identity->find("keys");
  if (keys == nullptr || !keys->is_mapping()) return;
  const Entry* given = keys->find_entry("api_key");
  if (given == nullptr) return;
  Entry entry = *given;
  remove_key(*keys, "api_key");
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
  expand_store(root, report);
  expand_api_key(root, report);
  expand_plans(root, report);
  expand_costs(root, report);
  expand_global(root);
  listify(root.find("limits"), {"classes", "except", "key", "warn_at"});
  listify(root.find("classes"), {"match"});
  listify(root.find("guarantees"), {"classes"});
}

}  // namespace weir::policy
