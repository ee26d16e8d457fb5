// The YAML form of the accounts file.
#include <algorithm>
#include <string>

#include "identity/account_rows.h"
#include "policy/loader.h"
#include "policy/utf8.h"
#include "policy/yaml_tree.h"

namespace weir::identity {

namespace {

using policy::Entry;
using policy::Node;
using policy::Report;

const std::vector<std::string>& names() {
  static const std::vector<std::string> kNames{"sha256", "tier", "account", "overrides"};
  return kNames;
}

bool is_text(const Node& node, Report& report) {
  if (node.bad) return false;
  if (node.is_scalar()) return true;
  report.error(node.at, "text is wanted here", "write one value");
  return false;
}

bool read_overrides(const Node& node, Report& report, AccountRow& row) {
  if (!node.is_mapping()) {
    report.error(node.at, "`overrides` is a mapping", "write {LIMIT: 600/min burst 120}");
    return false;
  }
  bool good = true;
  for (const Entry& entry : node.entries) {
    if (!is_text(entry.value, report)) {
      good = false;
      continue;
    }
    row.overrides.push_back({{entry.key, entry.at}, {entry.value.text, entry.value.at}});
  }
  return good;
}

bool read_member(const Entry& entry, Report& report, AccountRow& row) {
  if (entry.key == "overrides") return read_overrides(entry.value, report, row);
  Cell* cell = entry.key == "sha256"    ? &row.hash
               : entry.key == "tier"    ? &row.tier
               : entry.key == "account" ? &row.account
                                        : nullptr;
  if (cell == nullptr) {
    const std::string_view near = policy::nearest(entry.key, names());
    report.error(entry.at, "unknown key `" + policy::printable(entry.key) + "`",
                 near.empty() ? "an account has sha256, tier, account, overrides"
                              : "did you mean `" + std::string(near) + "`?");
    return false;
  }
  *cell = {entry.value.text, entry.value.at};
  return is_text(entry.value, report);
}

bool read_row(const Node& item, Report& report, AccountRow& row) {
  if (item.bad) return false;
  if (!item.is_mapping()) {
    report.error(item.at, "an account is a mapping",
                 "write {sha256: ..., tier: ..., account: ...}");
    return false;
  }
  row.at = item.at;
  bool good = true;
  for (const Entry& entry : item.entries) good = read_member(entry, report, row) && good;
  for (const char* name : {"sha256", "tier", "account"}) {
    if (item.find(name) != nullptr) continue;
    report.error(item.at, "an account without `" + std::string(name) + "`", "add it");
    good = false;
  }
  return good;
}

}  // namespace

void read_yaml_rows(std::string_view text, Report& report, const TakeRow& take) {
  const policy::YamlTree tree =
      policy::parse_yaml(text, report, {"an accounts file", "write `[]` for no accounts"});
  if (!tree.root) return;
  if (!tree.root->is_sequence()) {
    report.error(tree.root->at, "an accounts file is a sequence",
                 "write `- {sha256: ..., tier: ..., account: ...}` lines");
    return;
  }
  for (const Node& item : tree.root->items) {
    AccountRow row;
    if (read_row(item, report, row)) take(row);
  }
}

}  // namespace weir::identity
