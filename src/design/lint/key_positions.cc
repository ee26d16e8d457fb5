#include "design/lint/key_positions.h"

#include "policy/findings.h"
#include "policy/yaml_tree.h"

namespace weir::design::lint {
namespace {

using Keys = std::map<std::string, policy::Position, std::less<>>;

void walk(const policy::Node& node, const std::string& path, Keys& keys) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item = path + "[" + std::to_string(i) + "]";
    keys.emplace(item, node.items[i].at);
    walk(node.items[i], item, keys);
  }
  for (const policy::Entry& entry : node.entries) {
    const std::string key = path.empty() ? entry.key : path + "." + entry.key;
    keys.emplace(key, entry.at);
    walk(entry.value, key, keys);
  }
}

}  // namespace

KeyPositions::KeyPositions(std::string_view yaml) {
  policy::Report ignored("");
  const policy::YamlTree tree = policy::parse_yaml(yaml, ignored);
  if (tree.root != nullptr) walk(*tree.root, "", keys_);
}

policy::Position KeyPositions::at(std::string_view path) const {
  while (true) {
    if (const auto found = keys_.find(path); found != keys_.end()) return found->second;
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string_view::npos) return {1, 1};
    path = path.substr(0, cut);
  }
}

}  // namespace weir::design::lint
