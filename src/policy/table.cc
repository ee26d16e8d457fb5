// The rows as a tree.
#include "policy/table.h"

#include <cassert>

namespace weir::policy {

namespace {

// The first part of a path: ".key", "[]" or ".*" (".*" and keys lose the dot).
std::string_view take_part(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  std::size_t end = path.starts_with("[]") ? 2 : path.find_first_of(".[");
  if (end == path.npos) end = path.size();
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

Spec& place(Spec& parent, std::string_view part) {
  if (part == "[]" || part == "*") {
    std::unique_ptr<Spec>& one = part == "*" ? parent.any : parent.item;
    if (!one) one = std::make_unique<Spec>();
    one->key = part;
    return *one;
  }
  for (const auto& child : parent.children) {
    if (child->key == part) return *child;
  }
  parent.children.push_back(std::make_unique<Spec>());
  parent.children.back()->key = part;
  return *parent.children.back();
}

Spec make() {
  Spec root;
  for (const Row& row : rows()) {
    Spec* spec = &root;
    for (std::string_view rest = row.path; !rest.empty();) spec = &place(*spec, take_part(rest));
    assert(spec->row == nullptr);
    spec->row = &row;
  }
  return root;
}

}  // namespace

const Spec* Spec::child(std::string_view name) const {
  for (const auto& spec : children) {
    if (spec->key == name) return spec.get();
  }
  return nullptr;
}

std::vector<std::string> Spec::child_names() const {
  std::vector<std::string> names;
  for (const auto& spec : children) {
    if (spec->row->since != Since::later) names.push_back(spec->key);
  }
  return names;
}

std::vector<std::string> Spec::words() const {
  std::vector<std::string> out;
  std::string_view rest = row->words;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    if (!word.starts_with('!')) out.emplace_back(word);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return out;
}

bool Spec::refuses_word(std::string_view word) const {
  const std::string marked = "!" + std::string(word);
  std::string_view rest = row->words;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == marked) return true;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return false;
}

const Spec& format() {
  static const Spec kRoot = make();
  return kRoot;
}

}  // namespace weir::policy
