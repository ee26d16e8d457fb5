// The parts of expand(): one for each larger piece of sugar.
#pragma once

#include <string_view>

#include "policy/findings.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

void expand_plans(Node& root, Report& report);  // rates of `tiers` become limits
void expand_costs(Node& root, Report& report);  // `costs` become classes
void expand_store(Node& root, Report& report);  // a text becomes a mapping

void remove_key(Node& mapping, std::string_view key);
Node one_item_list(Node item);
// The list of that name, made where there is none.
Node& list_of(Node& root, std::string_view key, Position at);

}  // namespace weir::policy
