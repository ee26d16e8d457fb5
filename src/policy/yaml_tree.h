// YAML text as a small tree whose every key and value knows where it was typed.
//
//   YamlTree tree = parse_yaml(text, report);   // no root: the report says why
//   const Node* limits = tree.root->find("limits");
//
// YAML 1.2 core schema, and less: scalars stay text until the table of keys (table.h) asks for a
// type; aliases, anchors, tags, merge keys, complex keys, duplicate keys and several documents are
// findings. At most 1 MiB and 32 levels. Values; not thread-safe while parsed; never throws.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/findings.h"
#include "policy/position.h"

namespace weir::policy {

inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20;
inline constexpr int kMaxYamlDepth = 32;

struct Entry;

struct Node {
  enum class Kind { scalar, sequence, mapping };

  Kind kind = Kind::scalar;
  bool quoted = false;  // a scalar in quotes or a block: text, whatever it looks like
  bool bad = false;     // a finding was reported here: readers skip it in silence
  std::string text;     // of a scalar
  Position at;
  std::vector<Node> items;     // of a sequence
  std::vector<Entry> entries;  // of a mapping, in file order

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }

  Node* find(std::string_view key);
  const Node* find(std::string_view key) const;
  const Entry* find_entry(std::string_view key) const;
  // Adds a key; the position is the value's.
  Node& add(std::string_view key, Node value);

  static Node scalar(std::string text, Position at, bool quoted = false);
  static Node sequence(Position at);
  static Node mapping(Position at);
};

struct Entry {
  std::string key;
  Position at;
  Node value;
};

// What the core schema makes of a scalar: only a plain one can be anything but text.
enum class Core { null, boolean, integer, real, text };
Core core_type(const Node& scalar);

struct YamlTree {
  std::unique_ptr<Node> root;
};
// How the findings name the file.
struct YamlWords {
  std::string what = "a policy";
  std::string when_empty = "a policy starts with `version: 1`";
};

YamlTree parse_yaml(std::string_view text, Report& report, const YamlWords& words = {});

}  // namespace weir::policy
