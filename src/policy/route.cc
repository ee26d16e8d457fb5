// A trie of path segments.
//
// A lookup walks the trie by the hashes of the path's segments, taking the literal child and the
// `*` child where both exist. The trie is a tree and `**` only ends a pattern, so a walk visits a
// node at most once, whatever the path: the cost is bounded by the number of nodes, and in practice
// by what the order of patterns prunes (a subtree whose patterns all come after the best match so
// far is not entered).
#include "policy/route.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>

#include "policy/name_index.h"
#include "policy/path.h"
#include "policy/segments.h"
#include "policy/unicode.h"

namespace weir::policy {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kStar = kNone - 1;  // `*` or `{name}`
constexpr std::uint32_t kEmpty = 0;         // the segment after a slash at the end
constexpr std::uint32_t kGet = 1;           // method

struct Entry {
  std::uint32_t order;
  std::uint16_t class_id;
  std::uint32_t method;  // 0: any
};

struct Node {
  std::uint32_t first = kNone;  // the least and the greatest order of the subtree
  std::uint32_t last = 0;
  std::uint32_t star = kNone;    // child
  std::uint32_t parent = kNone;  // of a literal child, and the segment it stands for
  std::uint32_t symbol = kEmpty;
  std::uint32_t size = 0;     // of that segment's text
  bool has_children = false;  // literal ones
  bool has_rest = false;      // its Ends has patterns with `**`
};

struct Ends {
  std::vector<Entry> here;  // patterns that end at a node, ascending
  std::vector<Entry> rest;  // those that end there with `**`, ascending
};

// A pattern as the table compiled it, for lint.
struct Compiled {
  std::vector<std::uint32_t> symbols;
  std::uint32_t method = 0;
  std::uint16_t class_id = 0;
  bool any_rest = false;
};

bool method_covers(const Compiled& a, const Compiled& b) {
  return a.method == 0 || a.method == b.method;
}

bool symbol_covers(std::uint32_t a, std::uint32_t b) {
  return a == b || (a == kStar && b != kEmpty);
}

// Everything that b matches, a matches.
bool covers(const Compiled& a, const Compiled& b) {
  if (!method_covers(a, b)) return false;
  if (!a.any_rest && (b.any_rest || a.symbols.size() != b.symbols.size())) return false;
  return a.symbols.size() <= b.symbols.size() &&
         std::equal(a.symbols.begin(), a.symbols.end(), b.symbols.begin(), symbol_covers);
}

// Something is matched by both.
bool meet(const Compiled& a, const Compiled& b) {
  if (a.method != 0 && b.method != 0 && a.method != b.method) return false;
  const std::size_t common = std::min(a.symbols.size(), b.symbols.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!symbol_covers(a.symbols[i], b.symbols[i]) && !symbol_covers(b.symbols[i], a.symbols[i])) {
      return false;
    }
  }
  if (a.symbols.size() == b.symbols.size()) return true;
  return a.symbols.size() < b.symbols.size() ? a.any_rest : b.any_rest;
}

}  // namespace

struct RouteTable::Impl {
  PathRules rules;
  std::vector<Node> nodes{1};
  std::vector<Ends> ends{1};  // by node
  NameIndex symbols;
  NameIndex methods;
  HashIndex children;  // literal ones, by edge(node, hash of the segment)
  std::vector<Compiled> patterns;

  Impl() {
    symbols.add("");     // kEmpty
    methods.add("");     // any
    methods.add("GET");  // kGet
  }

  static std::uint64_t edge(std::uint32_t node, std::uint64_t hash) {
    return hash ^ HashIndex::mix(node);
  }
  std::uint32_t literal_child(std::uint32_t node, std::uint64_t hash, std::string_view text) const {
    return children.find(edge(node, hash), [&](std::uint32_t child) {
      const Node& n = nodes[child];
      return n.parent == node && n.size == text.size() &&
             (n.size <= TextHash::kWord || symbols.name(n.symbol) == text);
    });
  }

  std::uint32_t symbol(std::string_view raw) {
    std::string text(raw.size(), '\0');
    // Pattern::parse has checked that it decodes; anything else is matched by no path.
    const auto size = decode_segment(raw, text);
    if (size) text.resize(*size);
    if (rules.fold_case) text.resize(fold_case(text));
    return symbols.add(text);
  }

  Compiled compile(const Pattern& pattern, std::uint16_t class_id);
  std::uint32_t child(std::uint32_t node, std::uint32_t symbol);
  std::optional<Match> walk(std::uint32_t method, const Segments& path, std::uint32_t from) const;
};

Compiled RouteTable::Impl::compile(const Pattern& pattern, std::uint16_t class_id) {
  Compiled compiled{{}, methods.add(pattern.method), class_id, pattern.any_rest};
  for (const std::string& segment : pattern.segments) {
    if (segment == "*" || segment.starts_with('{')) {
      compiled.symbols.push_back(kStar);
      continue;
    }
    std::string_view rest = segment;
    for (bool last = false; !last;) {
      const RawSegment part = next_segment(rest, rules.decode_encoded_slash);
      last = part.last;
      // Inside a path `//` is one slash; at its end the slash goes, where the rules say so.
      const bool at_end = last && &segment == &pattern.segments.back() && !pattern.any_rest;
      if (part.text.empty() && (!at_end || rules.strip_slash)) continue;
      compiled.symbols.push_back(symbol(part.text));
    }
  }
  return compiled;
}

std::uint32_t RouteTable::Impl::child(std::uint32_t node, std::uint32_t symbol) {
  const auto next = static_cast<std::uint32_t>(nodes.size());
  Node added;
  if (symbol == kStar) {
    if (nodes[node].star != kNone) return nodes[node].star;
    nodes[node].star = next;
  } else {
    const std::string& text = symbols.name(symbol);
    const std::uint64_t hash = TextHash::of(text);
    const std::uint32_t found = literal_child(node, hash, text);
    if (found != kNone) return found;
    nodes[node].has_children = true;
    children.add(edge(node, hash), next);
    added.parent = node;
    added.symbol = symbol;
    added.size = static_cast<std::uint32_t>(text.size());
  }
  nodes.push_back(added);
  ends.emplace_back();
  return next;
}

namespace {

// The first entry from `from` on for the method, if it comes before `best`; else `best`.
const Entry* first_of(const std::vector<Entry>& entries, std::uint32_t method, std::uint32_t from,
                      const Entry* best) {
  const Entry* entry = entries.data();
  const Entry* const end = entry + entries.size();
  if (entry == end) return best;
  if (entry->order < from) {
    entry = std::lower_bound(entry, end, from,
                             [](const Entry& e, std::uint32_t order) { return e.order < order; });
  }
  for (; entry != end && (best == nullptr || entry->order < best->order); ++entry) {
    if (entry->method == 0 || entry->method == method) return entry;
  }
  return best;
}

}  // namespace

[[gnu::always_inline]] inline std::optional<RouteTable::Match> RouteTable::Impl::walk(
    std::uint32_t method, const Segments& path, std::uint32_t from) const {
  struct Branch {
    std::uint32_t node;
    std::uint32_t at;  // segments taken
  };
  // Where both children go on, the literal one is taken and `*` waits: at most one at each depth.
  std::array<Branch, kMaxSegments + 1> waiting;
  std::size_t count = 0;
  Branch branch{0, 0};
  const Node* const all = nodes.data();
  const std::size_t size = path.size();
  const Entry* best = nullptr;
  for (;;) {
    const Node& node = all[branch.node];
    std::uint32_t next = kNone;
    if (node.last >= from && (best == nullptr || node.first < best->order)) {
      if (node.has_rest) best = first_of(ends[branch.node].rest, method, from, best);
      if (branch.at < size) {
        const Segments::Segment& segment = path[branch.at++];
        const std::uint32_t star = segment.size != 0 ? node.star : kNone;
        if (node.has_children) next = literal_child(branch.node, segment.hash, segment.text());
        if (next == kNone) {
          next = star;
        } else if (star != kNone) {
          waiting[count++] = {star, branch.at};
        }
      } else if (!path.deeper()) {
        best = first_of(ends[branch.node].here, method, from, best);
      }
    }
    if (next != kNone) {
      branch.node = next;
    } else if (count > 0) {
      branch = waiting[--count];
    } else {
      break;
    }
  }
  if (best == nullptr) return std::nullopt;
  return Match{best->class_id, best->order};
}

RouteTable::RouteTable() : impl_(std::make_unique<Impl>()) {}
RouteTable::~RouteTable() = default;
RouteTable::RouteTable(RouteTable&&) noexcept = default;
RouteTable& RouteTable::operator=(RouteTable&&) noexcept = default;

void RouteTable::set_rules(const PathRules& rules) {
  assert(impl_->patterns.empty());  // patterns are compiled by the rules
  impl_->rules = rules;
}

void RouteTable::add(const Pattern& pattern, std::uint16_t class_id) {
  const auto order = static_cast<std::uint32_t>(impl_->patterns.size());
  const Compiled& compiled = impl_->patterns.emplace_back(impl_->compile(pattern, class_id));
  std::uint32_t node = 0;
  const auto touch = [&] {
    Node& n = impl_->nodes[node];
    n.first = std::min(n.first, order);
    n.last = order;
  };
  touch();
  for (const std::uint32_t symbol : compiled.symbols) {
    node = impl_->child(node, symbol);
    touch();
  }
  if (compiled.any_rest) impl_->nodes[node].has_rest = true;
  Ends& ends = impl_->ends[node];
  (compiled.any_rest ? ends.rest : ends.here).push_back({order, class_id, compiled.method});
}

bool RouteTable::cut(std::string_view target, Segments& segments) const {
  const PathRules& rules = impl_->rules;
  if (!rules.fold_case && segments.cut_target(target, rules.strip_slash)) return true;
  const auto path = normalize_path(target, rules, segments.room());
  if (!path) return false;
  segments.cut(*path);
  return true;
}

std::optional<RouteTable::Match> RouteTable::match(std::string_view method,
                                                   const Segments& segments,
                                                   std::uint32_t from) const {
  if (!segments.is_path()) return std::nullopt;
  const bool get = method == "GET" || method == "HEAD";
  return impl_->walk(get ? kGet : impl_->methods.find(method), segments, from);
}

std::vector<RouteTable::Shadowed> RouteTable::shadowed() const {
  std::vector<Shadowed> found;
  const auto& patterns = impl_->patterns;
  for (std::uint32_t later = 1; later < patterns.size(); ++later) {
    for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
      if (!covers(patterns[earlier], patterns[later])) continue;
      found.push_back({later, earlier});
      break;
    }
  }
  return found;
}

std::vector<RouteTable::Shadowed> RouteTable::overlapping() const {
  std::vector<Shadowed> found;
  const auto& patterns = impl_->patterns;
  for (std::uint32_t later = 1; later < patterns.size(); ++later) {
    for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
      const Compiled& a = patterns[earlier];
      const Compiled& b = patterns[later];
      if (a.class_id == b.class_id || !meet(a, b) || covers(a, b) || covers(b, a)) continue;
      found.push_back({later, earlier});
    }
  }
  return found;
}

}  // namespace weir::policy
