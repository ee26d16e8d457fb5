// One pass over the tree: unknown keys, types, words, and what this version does not enforce.
#include "policy/check.h"

#include <optional>
#include <string>
#include <utility>

#include "policy/cidr.h"
#include "policy/loader.h"
#include "policy/quantity.h"
#include "policy/route.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string_view near = nearest(word, words);
  if (!near.empty()) return "did you mean `" + std::string(near) + "`?";
  return words.empty() ? std::string() : "known here: " + join(words);
}

struct Complaint {
  std::string message;
  std::string help;
};
using Verdict = std::optional<Complaint>;  // none: the value is fine

Verdict check_number(const Spec& spec, std::uint64_t value, std::string_view text) {
  const Row& row = *spec.row;
  if (value == 0 && row.least > 0) {
    return Complaint{quoted(spec.key) + " is 0",
                     row.types & kCount && row.least == 1 && row.most == Row{}.most
                         ? "0 is not a limit: write `deny` or `unlimited` for the tier"
                         : "the least is " + std::to_string(row.least)};
  }
  if (value < row.least || value > row.most) {
    return Complaint{quoted(spec.key) + " is " + printable(text),
                     row.least == row.most ? "this version knows " + std::to_string(row.least)
                                           : "it may be " + std::to_string(row.least) + " to " +
                                                 std::to_string(row.most)};
  }
  return std::nullopt;
}

Verdict check_count(const Spec& spec, const Node& node) {
  const bool digits = node.text.find_first_not_of("0123456789") == std::string::npos;
  if (node.quoted && digits) {
    return Complaint{quoted(spec.key) + " is a number in quotes", "write it without"};
  }
  const Result<std::uint64_t> count = parse_count(node.text);
  if (!count) return Complaint{count.error().message, {}};
  return check_number(spec, *count, node.text);
}

Verdict check_integer(const Spec& spec, const Node& node) {
  if (node.text.find_first_not_of("0123456789") != std::string::npos || node.text.empty()) {
    return Complaint{quoted(spec.key) + " is " + quoted(node.text), "write a whole number"};
  }
  return check_count(spec, node);
}

Verdict check_rate(const Spec& spec, const Node& node) {
  const Result<Rate> rate = parse_rate(node.text);
  if (!rate) {
    if (rate.error().code == ErrorCode::out_of_range) return Complaint{rate.error().message, {}};
    return Complaint{"`" + spec.key + "`: " + rate.error().message, {}};
  }
  if (rate->count == 0) {
    return Complaint{"a rate of 0", "0 is not a limit: write `deny` or `unlimited` for the tier"};
  }
  if (rate->period.ns == 0) {
    return Complaint{"a period of 0", "0 is not a limit: write `deny` or `unlimited` for the tier"};
  }
  return std::nullopt;
}

Verdict check_duration(const Spec& spec, const Node& node) {
  const Result<Duration> duration = parse_duration(node.text);
  if (!duration) return Complaint{"`" + spec.key + "`: " + duration.error().message, {}};
  if (duration->ns == 0) {
    return Complaint{quoted(spec.key) + " is 0",
                     spec.key == "window"
                         ? "0 is not a limit: write `deny` or `unlimited` for the tier"
                         : "write a time, or leave it out"};
  }
  return std::nullopt;
}

Verdict check_word(const Spec& spec, const Node& node) {
  const std::vector<std::string> words = spec.words();
  for (const std::string& word : words) {
    if (node.text == word) return std::nullopt;
  }
  if (spec.refuses_word(node.text)) {
    return Complaint{"`" + spec.key + ": " + node.text + "` is not enforced in this version",
                     words.empty() ? "leave it out" : "known here: " + join(words)};
  }
  return Complaint{"unknown word " + quoted(node.text) + " for `" + spec.key + "`",
                   did_you_mean(node.text, words)};
}

Verdict check_store(const Node& node) {
  if (node.text == "memory") return std::nullopt;
  for (const std::string_view type : {"redis", "file"}) {
    if (!node.text.starts_with(type) && !node.text.starts_with(std::string(type) + "s")) continue;
    return Complaint{"store `" + std::string(type) + "` is not enforced in this version",
                     "write `store: memory`, and say with `instances` how many count apart"};
  }
  return Complaint{"unknown store", "write `store: memory`"};
}

Verdict check_text(const Spec& spec, const Node& node) {
  if (core_type(node) != Core::text) {
    return Complaint{quoted(spec.key) + " is " +
                         (node.text.empty() ? std::string("empty") : quoted(node.text)) +
                         ", not a text",
                     node.text.empty() ? "write a value or remove the key" : "put it in quotes"};
  }
  if (node.text.empty()) return Complaint{quoted(spec.key) + " is empty", "remove it"};
  for (const char c : node.text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Complaint{quoted(spec.key) + " has a control character", "remove it"};
    }
  }
  return std::nullopt;
}

Verdict check_name(const Spec& spec, const Node& node) {
  if (const Verdict wrong = check_text(spec, node)) return wrong;
  if (is_name(node.text)) return std::nullopt;
  return Complaint{quoted(node.text) + " is no name",
                   "names have letters, digits, `_`, `.`, `:`, `/`, `-`, at most 64"};
}

Verdict check_network(const Node& node) {
  if (Cidr::parse(node.text)) return std::nullopt;
  return Complaint{quoted(node.text) + " is no network", "write `10.0.0.0/8` or `2001:db8::/32`"};
}

Verdict check_boolean(const Spec& spec, const Node& node) {
  if (!node.quoted && (node.text == "true" || node.text == "false")) return std::nullopt;
  return Complaint{quoted(spec.key) + " is " + quoted(node.text), "write `true` or `false`"};
}

bool reads_elsewhere(const Node& node) {
  return node.text.starts_with("file:") || node.text.find("${env:") != std::string::npos;
}

// Where `${env:NAME}` would be taken as it stands, say so instead.
Verdict refuse_environment(const Node& node) {
  if (node.text.find("${env:") == std::string::npos) return std::nullopt;
  return Complaint{"`${env:...}` is not read here",
                   "it is in strings of `store`, `identity.jwt` and `listeners`"};
}

Verdict check_fraction(const Spec& spec, const Node& node) {
  if (node.quoted)
    return Complaint{quoted(spec.key) + " is a number in quotes", "write it without"};
  const Result<std::uint32_t> ppm = parse_fraction(node.text);
  if (ppm) return std::nullopt;
  return Complaint{"`" + spec.key + "`: " + ppm.error().message, {}};
}

Verdict check_as(Type type, const Spec& spec, const Node& node) {
  switch (type) {
    case kText:
      return check_text(spec, node);
    case kWord:
      return check_word(spec, node);
    case kName:
      return check_name(spec, node);
    case kCount:
      return check_count(spec, node);
    case kInteger:
      return check_integer(spec, node);
    case kBool:
      return check_boolean(spec, node);
    case kFraction:
      return check_fraction(spec, node);
    case kRate:
      return check_rate(spec, node);
    case kDuration:
      return check_duration(spec, node);
    case kDate: {
      const Result<Instant> until = parse_until(node.text);
      return until ? Verdict{} : Verdict{Complaint{until.error().message, {}}};
    }
    case kNetwork:
      return check_network(node);
    case kPattern: {
      const Result<Pattern> pattern = Pattern::parse(node.text);
      return pattern ? Verdict{} : Verdict{Complaint{pattern.error().message, {}}};
    }
    case kSecret:
      return check_text(spec, node);
    case kStore:
      return check_store(node);
    default:
      return Complaint{"not a scalar", {}};
  }
}

constexpr std::uint32_t kScalars = kText | kWord | kName | kCount | kInteger | kBool | kFraction |
                                   kRate | kDuration | kDate | kNetwork | kPattern | kSecret |
                                   kStore;

// Which of several types a scalar was meant to be, for the best message.
Type meant(const Spec& spec, const Node& node) {
  const std::uint32_t types = spec.row->types;
  if ((types & kSecret) && (reads_elsewhere(node) || !(types & kNetwork))) return kSecret;
  if ((types & kRate) && (types & kWord)) {
    const bool word = node.text.find_first_of("/0123456789") == std::string::npos;
    return word && !node.text.empty() ? kWord : kRate;
  }
  if ((types & kCount) && (types & kWord)) {
    return node.text.find_first_of("0123456789") == std::string::npos ? kWord : kCount;
  }
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if (types & kScalars & bit) return static_cast<Type>(bit);
  }
  return kMap;
}

class Checker {
 public:
  explicit Checker(Report& report) : report_(report) {}

  void value(Node& node, const Spec& spec) {
    if (node.bad) return;
    if (node.is_mapping() && (spec.row->types & (kMap | kNames))) return mapping(node, spec);
    if (node.is_sequence() && spec.allows(kList)) return sequence(node, spec);
    if (!node.is_scalar() || (spec.row->types & kScalars) == 0) return wrong_shape(node, spec);
    Verdict wrong = check_as(meant(spec, node), spec, node);
    if (!wrong && !spec.allows(kSecret)) wrong = refuse_environment(node);
    if (wrong) complain(node, *wrong);
  }

 private:
  void complain(Node& node, const Complaint& complaint) {
    report_.error(node.at, complaint.message, complaint.help);
    node.bad = true;
  }

  void wrong_shape(Node& node, const Spec& spec) {
    const char* is = node.is_mapping()    ? "a mapping"
                     : node.is_sequence() ? "a list"
                                          : "a single value";
    if (node.is_scalar() && node.text.empty() && !node.quoted) is = "empty";
    complain(node, {(spec.key.empty() ? "the file" : quoted(spec.key)) + " is " + is,
                    "write " + describe(spec)});
  }

  void mapping(Node& node, const Spec& spec) {
    for (Entry& entry : node.entries) {
      const Spec* child = spec.child(entry.key);
      if (child != nullptr && child->row->since == Since::later) {
        report_.error(entry.at, quoted(entry.key) + " is not enforced in this version",
                      std::string(child->row->doc));
        entry.value.bad = true;
      } else if (child != nullptr) {
        value(entry.value, *child);
      } else if (spec.any) {
        own_key(entry, spec);
        value(entry.value, *spec.any);
      } else {
        report_.error(entry.at, "unknown key " + quoted(entry.key),
                      did_you_mean(entry.key, spec.child_names()));
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

  void sequence(Node& node, const Spec& spec) {
    for (Node& item : node.items) value(item, *spec.item);
  }

  Report& report_;
};

}  // namespace

std::string describe(const Spec& spec) {
  const Row& row = *spec.row;
  std::vector<std::string> ways;
  if (row.types & kRate) ways.push_back("a rate like `60/min`");
  if (row.types & kCount) ways.push_back("a number like `100` or `20k`");
  if (row.types & kInteger) {
    ways.push_back(row.least == row.most ? std::to_string(row.least) : "a whole number");
  }
  if (row.types & kFraction) ways.push_back("a number from 0 to 1");
  if (row.types & kDuration) ways.push_back("a duration like `15m`");
  if (row.types & kBool) ways.push_back("`true` or `false`");
  if (row.types & kDate) ways.push_back("a day like `2027-01-31`");
  if (row.types & kPattern) ways.push_back("a pattern like `GET /v1/**`");
  if (row.types & kNetwork) ways.push_back("a network like `10.0.0.0/8`");
  if (row.types & kStore) ways.push_back("`memory`");
  if (row.types & kName) ways.push_back("a name");
  if (row.types & kWord) {
    for (const std::string& word : spec.words()) ways.push_back("`" + word + "`");
  }
  if ((row.types & (kText | kSecret)) && !(row.types & kNetwork)) ways.push_back("a text");
  if (row.types & kList) ways.push_back("a list");
  if (row.types & (kMap | kNames)) ways.push_back("a mapping");
  std::string out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i > 0) out += i + 1 == ways.size() ? " or " : ", ";
    out += ways[i];
  }
  return out;
}

void check_tree(Node& node, const Spec& spec, Report& report) { Checker(report).value(node, spec); }

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
