// libyaml's events become a tree with positions; what the policy format has no use for is refused.
#include "policy/yaml_tree.h"

#include <yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "policy/unicode.h"
#include "policy/utf8.h"

namespace weir::policy {

Node* Node::find(std::string_view key) {
  for (Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

Node& Node::add(std::string_view key, Node value) {
  const Position where = value.at;
  entries.push_back({std::string(key), where, std::move(value)});
  return entries.back().value;
}

Node Node::scalar(std::string text, Position at, bool quoted) {
  Node node;
  node.text = std::move(text);
  node.at = at;
  node.quoted = quoted;
  return node;
}

Node Node::sequence(Position at) {
  Node node;
  node.kind = Kind::sequence;
  node.at = at;
  return node;
}

Node Node::mapping(Position at) {
  Node node;
  node.kind = Kind::mapping;
  node.at = at;
  return node;
}

namespace {

Position position(const yaml_mark_t& mark) {
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

// One event, freed when the next one is read.
class Events {
 public:
  explicit Events(std::string_view text) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Events() {
    release();
    if (ready_) yaml_parser_delete(&parser_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  bool next() {
    release();
    if (!ready_ || yaml_parser_parse(&parser_, &event_) == 0) return false;
    held_ = true;
    return true;
  }
  yaml_event_type_t type() const { return event_.type; }
  const yaml_event_t& event() const { return event_; }
  const yaml_parser_t& parser() const { return parser_; }
  Position at() const { return position(event_.start_mark); }

 private:
  void release() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_ = false;
  bool held_ = false;
};

class Builder {
 public:
  Builder(std::string_view text, Report& report, const YamlWords& words)
      : text_(text), events_(text), report_(report), words_(words) {}

  std::unique_ptr<Node> document() {
    if (!next() || !next()) return nullptr;  // the stream's start, then the document's
    if (events_.type() == YAML_STREAM_END_EVENT) {
      report_.error({1, 1}, "the file is empty", words_.when_empty);
      return nullptr;
    }
    if (!plain_document() || !next()) return nullptr;
    auto root = std::make_unique<Node>();
    if (!value(*root, 1) || !next() || !next()) return nullptr;  // the document's end, and after
    if (events_.type() != YAML_STREAM_END_EVENT) {
      report_.error(events_.at(), "a second document", words_.what + " is one YAML document");
      return nullptr;
    }
    return root;
  }

 private:
  bool next() {
    if (events_.next()) return true;
    syntax_error();
    return false;
  }

  void syntax_error() {
    const yaml_parser_t& p = events_.parser();
    if (p.error == YAML_MEMORY_ERROR) {
      report_.error({}, "no memory to read the file");
      return;
    }
    const Position at = position(p.problem_mark);
    if (p.problem_mark.index < text_.size() && tab_at(p.problem_mark)) {
      report_.error(at, "a tab where YAML wants spaces", "indent with spaces");
      return;
    }
    std::string message = "not YAML: ";
    message += p.problem != nullptr ? p.problem : "syntax error";
    if (p.context != nullptr) message += std::string(" ") + p.context;
    report_.error(at, message, "check quotes, brackets and indentation near here");
  }

  // Marks count characters, not bytes: look the line up instead of using the index.
  bool tab_at(const yaml_mark_t& mark) const {
    std::string_view rest = text_;
    for (std::size_t line = 0; line < mark.line; ++line) {
      const std::size_t end = rest.find('\n');
      if (end == rest.npos) return false;
      rest.remove_prefix(end + 1);
    }
    const std::string_view indent = rest.substr(0, rest.find_first_not_of(" \t"));
    return indent.find('\t') != indent.npos ||
           (mark.column < rest.size() && rest[mark.column] == '\t');
  }

  bool plain_document() {
    const auto& start = events_.event().data.document_start;
    if (start.tag_directives.start != start.tag_directives.end) {
      report_.error(events_.at(), "a %TAG directive", words_.what + " has no tags; remove it");
      return false;
    }
    if (start.version_directive != nullptr &&
        (start.version_directive->major != 1 || start.version_directive->minor != 2)) {
      report_.error(events_.at(), "a %YAML directive that is not 1.2", "remove it");
      return false;
    }
    return true;
  }

  // Refuses what hangs on a node besides its value. Not fatal: the rest is still read.
  void refuse_properties(const unsigned char* anchor, const unsigned char* tag, Node& node) {
    if (anchor != nullptr) {
      report_.error(events_.at(), "an anchor", "anchors and aliases are refused; write it out");
      node.bad = true;
    }
    if (tag != nullptr) {
      report_.error(events_.at(), "a tag", words_.what + " has no tags; the key decides the type");
      node.bad = true;
    }
  }

  bool value(Node& node, int depth) {
    node.at = events_.at();
    if (depth > kMaxYamlDepth) {
      report_.error(node.at, "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels",
                    "no key of the format is");
      return false;
    }
    switch (events_.type()) {
      case YAML_SCALAR_EVENT:
        scalar(node);
        return true;
      case YAML_SEQUENCE_START_EVENT:
        return sequence(node, depth);
      case YAML_MAPPING_START_EVENT:
        return mapping(node, depth);
      case YAML_ALIAS_EVENT:
        report_.error(node.at, "an alias", "anchors and aliases are refused; write it out");
        node.bad = true;
        return true;
      default:
        report_.error(node.at, "not YAML: a value is missing");
        return false;
    }
  }

  void scalar(Node& node) {
    const auto& s = events_.event().data.scalar;
    node.text.assign(reinterpret_cast<const char*>(s.value), s.length);
    node.quoted = s.style != YAML_PLAIN_SCALAR_STYLE;
    refuse_properties(s.anchor, s.tag, node);
  }

  bool sequence(Node& node, int depth) {
    node.kind = Node::Kind::sequence;
    const auto& s = events_.event().data.sequence_start;
    refuse_properties(s.anchor, s.tag, node);
    while (next()) {
      if (events_.type() == YAML_SEQUENCE_END_EVENT) return true;
      node.items.emplace_back();
      if (!value(node.items.back(), depth + 1)) return false;
    }
    return false;
  }

  bool mapping(Node& node, int depth) {
    node.kind = Node::Kind::mapping;
    const auto& m = events_.event().data.mapping_start;
    refuse_properties(m.anchor, m.tag, node);
    std::map<std::string, Position, std::less<>> seen;
    while (next()) {
      if (events_.type() == YAML_MAPPING_END_EVENT) return true;
      Entry entry;
      if (!key(entry) || !next() || !value(entry.value, depth + 1)) return false;
      const auto [first, fresh] = seen.emplace(entry.key, entry.at);
      if (fresh) {
        node.entries.push_back(std::move(entry));
      } else {
        report_.error(entry.at, "duplicate key `" + printable(entry.key) + "`",
                      "the first is in line " + std::to_string(first->second.line));
      }
    }
    return false;
  }

  bool key(Entry& entry) {
    entry.at = events_.at();
    if (events_.type() == YAML_ALIAS_EVENT) {
      report_.error(entry.at, "an alias", "anchors and aliases are refused; write it out");
      return false;
    }
    if (events_.type() != YAML_SCALAR_EVENT) {
      report_.error(entry.at, "a key that is a list or a mapping", "a key is a word or a text");
      return false;
    }
    Node as_node;
    scalar(as_node);
    entry.key = std::move(as_node.text);
    if (entry.key == "<<" && !as_node.quoted) {
      report_.error(entry.at, "a merge key `<<`", "merge keys are refused; write it out");
    }
    return true;
  }

  std::string_view text_;
  Events events_;
  Report& report_;
  const YamlWords& words_;
};

// What YAML allows besides: libyaml refuses the rest too, but does not say where.
bool printable_in_yaml(std::uint32_t point) {
  if (point < 0x20) return point == '\t' || point == '\n' || point == '\r';
  return point <= 0x7e || point == 0x85 || (point >= 0xa0 && (point & ~1u) != 0xfffe);
}

bool refuse_unprintable(std::string_view text, Report& report) {
  Position at{1, 1};
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (!printable_in_yaml(point.value)) {
      std::array<char, 16> name{};
      std::snprintf(name.data(), name.size(), "U+%04X", point.value);
      report.error(at, std::string("a control character, ") + name.data(), "remove it");
      return true;
    }
    at = point.value == '\n' ? Position{at.line + 1, 1} : Position{at.line, at.column + 1};
    text.remove_prefix(point.size);
  }
  return false;
}

}  // namespace

YamlTree parse_yaml(std::string_view text, Report& report, const YamlWords& words) {
  if (text.size() > kMaxYamlBytes) {
    report.error({}, "larger than 1 MiB (" + std::to_string(text.size()) + " bytes)",
                 "keep accounts in the accounts file");
    return {};
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.data() == nullptr) text = "";  // libyaml asserts that there is a pointer
  if (const auto where = first_invalid_utf8(text)) {
    report.error(*where, "not UTF-8", "save the file as UTF-8");
    return {};
  }
  if (refuse_unprintable(text, report)) return {};
  return {Builder(text, report, words).document()};
}

}  // namespace weir::policy
