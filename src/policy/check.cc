// One pass over the tree: unknown keys, shapes, and what this version does not enforce.
#include "policy/check.h"

#include <string>
#include <utility>

#include "policy/check_scalar.h"
#include "policy/quantity.h"
#include "policy/route.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

class Checker {
 public:
  explicit Checker(Report& report) : report_(report) {}

  void value(Node& node, const Spec& spec, std::string_view name) {
    if (node.bad) return;
    if (node.is_mapping() && (spec.row->types & (kMap | kNames))) return mapping(node, spec);
    if (node.is_sequence() && spec.allows(kList)) return sequence(node, spec, name);
    if (!node.is_scalar() || !takes_scalars(spec)) return wrong_shape(node, spec, name);
    if (const auto wrong = check_scalar(spec, name, node)) complain(node, *wrong);
  }

 private:
  void complain(Node& node, const Complaint& complaint) {
    report_.error(node.at, complaint.message, complaint.help);
    node.bad = true;
  }

  void wrong_shape(Node& node, const Spec& spec, std::string_view name) {
    const char* is = node.is_mapping()    ? "a mapping"
                     : node.is_sequence() ? "a list"
                                          : "a single value";
    if (node.is_scalar() && node.text.empty() && !node.quoted) is = "empty";
    complain(node,
             {(name.empty() ? "the file" : quoted(name)) + " is " + is, "write " + describe(spec)});
  }

  void mapping(Node& node, const Spec& spec) {
    for (Entry& entry : node.entries) {
      const Spec* child = spec.child(entry.key);
      if (child != nullptr && child->row->since == Since::later) {
        report_.error(entry.at, quoted(entry.key) + " is not enforced in this version",
                      std::string(child->row->doc));
        entry.value.bad = true;
      } else if (child != nullptr) {
        value(entry.value, *child, entry.key);
      } else if (spec.any) {
        own_key(entry, spec);
        value(entry.value, *spec.any, entry.key);
      } else {
        report_.error(entry.at, "unknown key " + quoted(entry.key),
                      report_.full() ? "" : did_you_mean(entry.key, spec.child_names()));
        entry.value.bad = true;
      }
    }
    for (const auto& child : spec.children) {
      if (!child->row->required || node.find(child->key) != nullptr) continue;
      report_.error(node.at, "`" + child->key + "` is missing", "write " + describe(*child));
    }
  }

  // A key of the file's own choice: a pattern, a name, or `*` for the rest.
  void own_key(Entry& entry, const Spec& spec) {
    const std::string_view path = spec.any->row->path;
    if (path == "costs.*" || path == "tiers.*.costs.*") {
      const Result<Pattern> pattern = Pattern::parse(entry.key);
      if (!pattern) report_.error(entry.at, pattern.error().message);
      return;
    }
    if (entry.key == "*" && path != "tiers.*" && path != "identity.keys.*") return;
    if (!is_name(entry.key)) {
      report_.error(entry.at, quoted(entry.key) + " is no name",
                    "names have letters, digits, `_`, `.`, `:`, `/`, `-`, at most 64");
      entry.value.bad = true;
    }
  }

  void sequence(Node& node, const Spec& spec, std::string_view name) {
    for (Node& item : node.items) value(item, *spec.item, name);
  }

  Report& report_;
};

}  // namespace

void check_tree(Node& node, const Spec& spec, Report& report) {
  Checker(report).value(node, spec, "");
}

namespace {

// A row's default is YAML of the simplest kind: a scalar, `{}`, or a list of scalars.
Node default_node(std::string_view text, Position at) {
  if (text == "{}") return Node::mapping(at);
  if (!text.starts_with('[')) {
    const bool quoted_text = text.starts_with('"');
    return Node::scalar(std::string(quoted_text ? text.substr(1, text.size() - 2) : text), at,
                        quoted_text);
  }
  Node list = Node::sequence(at);
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t end = text.find(", ");
    list.items.push_back(default_node(text.substr(0, end), at));
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
  }
  return list;
}

}  // namespace

void fill_defaults(Node& node, const Spec& spec) {
  if (node.bad) return;
  if (node.is_sequence() && spec.item) {
    for (Node& item : node.items) fill_defaults(item, *spec.item);
  }
  if (!node.is_mapping()) return;
  for (const auto& child : spec.children) {
    if (child->row->since != Since::now || child->row->fallback.empty()) continue;
    if (node.find(child->key) != nullptr) continue;
    node.add(child->key, default_node(child->row->fallback, node.at));
  }
  for (Entry& entry : node.entries) {
    const Spec* child = spec.child(entry.key);
    if (child == nullptr) child = spec.any.get();
    if (child != nullptr) fill_defaults(entry.value, *child);
  }
}

}  // namespace weir::policy
