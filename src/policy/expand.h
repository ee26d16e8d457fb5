// The short form becomes the long form, tree to tree: every node keeps the place it was typed at.
//
// `tiers` with rates become limits (`plan-second`, ...), `costs` become classes named after their
// patterns, `global` becomes a limit, single values become lists. A long form comes back as it is.
#pragma once

#include "policy/findings.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

// `root` has passed check_tree.
void expand(Node& root, Report& report);

}  // namespace weir::policy
