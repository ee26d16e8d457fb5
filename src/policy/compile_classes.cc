// `classes`: what matches, and what a request costs by unit and tier.
#include <algorithm>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

constexpr std::size_t kMaxClassName = 256;

bool name_class(Build& build, const Node& item, Class& c) {
  const Node* name = get(item, "name");
  if (name == nullptr) {
    build.classes_bad = true;
    return false;
  }
  c.name = name->text;
  if (c.name.size() > kMaxClassName) {
    build.report.error(name->at, "a class name of " + std::to_string(c.name.size()) + " bytes",
                       "at most " + std::to_string(kMaxClassName));
    return false;
  }
  if (c.name == "default" || c.name == "malformed" || c.name == "*") {
    build.report.error(name->at, quoted(c.name) + " is built in", "choose another name");
    return false;
  }
  const auto found = build.classes.find(c.name);
  if (found == build.classes.end()) return true;
  build.report.error(
      name->at, "duplicate class " + quoted(c.name),
      "the first is in line " + std::to_string(build.policy.classes[found->second].at.line));
  return false;
}

void match_of(const Node& item, Class& c) {
  const Node* match = get(item, "match");
  if (match == nullptr) return;
  for (const Node& pattern_node : match->items) {
    if (pattern_node.bad) continue;
    Result<Pattern> pattern = Pattern::parse(pattern_node.text);
    if (!pattern) continue;
    pattern->at = pattern_node.at;
    c.match.push_back(std::move(*pattern));
  }
}

// The costs of a unit, for every tier.
void cost_of_unit(Build& build, const Entry& entry, std::vector<std::uint64_t>& costs) {
  if (entry.value.is_scalar()) {
    const Result<std::uint64_t> cost = parse_count(entry.value.text);
    if (cost) std::fill(costs.begin(), costs.end(), *cost);
    return;
  }
  if (const auto others = count_of(entry.value, "*")) {
    std::fill(costs.begin(), costs.end(), *others);
  }
  for (const Entry& tier : entry.value.entries) {
    if (tier.key == "*" || tier.value.bad) continue;
    const auto found = build.tiers.find(tier.key);
    if (found != build.tiers.end()) {
      const Result<std::uint64_t> cost = parse_count(tier.value.text);
      if (cost) costs[found->second] = *cost;
    } else if (!build.tiers_bad) {
      build.report.error(tier.at, "unknown tier " + quoted(tier.key),
                         build.near_name(tier.key, names_of(build.tiers)));
    }
  }
}

void costs_of(Build& build, const Node& item, Class& c) {
  const Node* cost = get(item, "cost");
  if (cost == nullptr) return;
  for (const Entry& entry : cost->entries) {
    if (entry.value.bad || entry.key == "*") {
      if (entry.key == "*") {
        build.report.error(entry.at, "a cost in unit `*`", "name the unit: `points`");
      }
      continue;
    }
    const UnitId unit = build.unit(entry.key, entry.at);
    if (c.cost.size() <= unit) {
      c.cost.resize(unit + std::size_t{1},
                    std::vector<std::uint64_t>(build.policy.tiers.size(), 1));
    }
    cost_of_unit(build, entry, c.cost[unit]);
  }
  if (c.exempt && !cost->entries.empty()) {
    build.report.warning(cost->at, "the cost of an exempt class is never charged", "remove it");
  }
}

void compile_class(Build& build, const Node& item) {
  Class c;
  c.at = item.at;
  if (!name_class(build, item, c)) return;
  if (build.policy.classes.size() == kMaxClasses) {
    build.report.error(item.at, "more than " + std::to_string(kMaxClasses) + " classes",
                       "use patterns with `*`, `{name}` and `**`");
    build.classes_bad = true;
    return;
  }
  match_of(item, c);
  if (const Node* when = get(item, "when")) {
    for (const Entry& entry : when->entries) {
      if (!entry.value.bad) c.when.emplace_back(entry.key, entry.value.text);
    }
    // No order is meant, so there is one.
    std::sort(c.when.begin(), c.when.end());
  }
  c.exempt = true_of(item, "exempt");
  costs_of(build, item, c);
  if (c.match.empty() && c.when.empty() && !has_bad(item)) {
    build.report.error(item.at, "class " + quoted(c.name) + " matches nothing",
                       "give it `match: [\"GET /path\"]` or `when: {attribute: value}`");
  }
  build.classes.emplace(c.name, static_cast<ClassId>(build.policy.classes.size()));
  build.policy.classes.push_back(std::move(c));
}

}  // namespace

void compile_classes(Build& build) {
  const Node* classes = build.root.find("classes");
  if (classes != nullptr && classes->bad) build.classes_bad = true;
  if (const Node* good = get(build.root, "classes")) {
    for (const Node& item : good->items) {
      if (item.bad) build.classes_bad = true;
      if (!item.bad) compile_class(build, item);
    }
  }
  for (const char* name : {"default", "malformed"}) {
    Class c;
    c.name = name;
    build.classes.emplace(name, static_cast<ClassId>(build.policy.classes.size()));
    build.policy.classes.push_back(std::move(c));
  }
}

std::optional<std::vector<bool>> compile_covers(Build& build, const Node& item) {
  const Policy& policy = build.policy;
  std::vector<bool> covers(policy.classes.size(), false);
  bool good = true;
  const auto look_up = [&](const Node& name) -> std::optional<ClassId> {
    const auto found = build.classes.find(name.text);
    if (found != build.classes.end()) return found->second;
    good = false;
    if (!build.classes_bad) {
      build.report.error(name.at, "unknown class " + quoted(name.text),
                         build.near_name(name.text, names_of(build.classes)));
    }
    return std::nullopt;
  };
  const Node* listed = get(item, "classes");
  if (listed == nullptr) return std::nullopt;
  const bool all = listed->is_scalar() || std::any_of(listed->items.begin(), listed->items.end(),
                                                      [](const Node& n) { return n.text == "*"; });
  for (std::size_t c = 0; all && c < covers.size(); ++c) covers[c] = !policy.classes[c].exempt;
  for (const Node& name : listed->items) {
    if (name.bad || name.text == "*") continue;
    const auto id = look_up(name);
    if (id && policy.classes[*id].exempt) {
      good = false;
      build.report.error(name.at, "class " + quoted(name.text) + " is exempt: no limit covers it",
                         "remove it here, or `exempt` there");
    }
    if (id) covers[*id] = true;
  }
  if (const Node* except = get(item, "except")) {
    for (const Node& name : except->items) {
      const auto id = name.bad ? std::nullopt : look_up(name);
      if (id) covers[*id] = false;
    }
  }
  if (!good) return std::nullopt;
  if (std::find(covers.begin(), covers.end(), true) == covers.end()) {
    build.report.error(listed->at, "no class is covered", "name one in `classes`");
    return std::nullopt;
  }
  return covers;
}

}  // namespace weir::policy
