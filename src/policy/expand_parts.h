// The parts of expand(): one for each piece of sugar that makes limits or classes.
#pragma once

#include <string_view>

#include "policy/findings.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

void expand_plans(Node& root, Report& report);  // rates of `tiers` become limits
void expand_costs(Node& root, Report& report);  // `costs` become classes

void remove_key(Node& mapping, std::string_view key);
Node one_item_list(Node item);
// The list of that name, made where there is none.
Node& list_of(Node& root, std::string_view key, Position at);

}  // namespace weir::policy
