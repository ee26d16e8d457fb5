// One scalar against its row of the table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/table.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

struct Complaint {
  std::string message;
  std::string help;
};

// Nothing where the value is fine. `name` is what messages call it: its key in the file.
std::optional<Complaint> check_scalar(const Spec& spec, std::string_view name, const Node& node);

bool takes_scalars(const Spec& spec);

}  // namespace weir::policy
