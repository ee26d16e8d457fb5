// Checks a tree against the table of keys, and fills in its defaults.
//
// Every key must be known and enforced, every value of a type its row allows. What is wrong is
// reported with the nearest word and marked `bad`, so that later steps pass over it in silence.
// Thread-safe on trees of one's own.
#pragma once

#include "policy/findings.h"
#include "policy/table.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

void check_tree(Node& node, const Spec& spec, Report& report);

// Adds every absent key of the long form that has a default; its position is the mapping's.
void fill_defaults(Node& node, const Spec& spec);

}  // namespace weir::policy
