// A trie of path segments.
//
// Each literal segment of the patterns is a symbol. A lookup splits the path and walks the trie,
// taking the literal child and the `*` child where both exist; a segment is hashed to its symbol
// when a node with literal children first wants it. The trie is a tree and `**` only ends a
// pattern, so a walk visits a node at most once, whatever the path: the cost is bounded by the
// number of nodes, and in practice by what the order of patterns prunes (a subtree whose patterns
// all come after the best match so far is not entered).
#include "policy/route.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "policy/name_index.h"
#include "policy/path.h"
#include "policy/unicode.h"

namespace weir::policy {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kUnknown = NameIndex::kNone;  // a path segment that no pattern spells
constexpr std::uint32_t kStar = kNone - 1;            // `*` or `{name}`
constexpr std::uint32_t kEmpty = 0;                   // the segment after a slash at the end
constexpr std::size_t kMaxDepth = kMaxSegments;

struct Entry {
  std::uint32_t order;
  std::uint16_t class_id;
  std::uint32_t method;  // 0: any
};

struct Node {
  std::uint32_t first = kNone;  // the least and the greatest order of the subtree
  std::uint32_t last = 0;
  std::uint32_t star = kNone;  // child
  bool has_children = false;   // literal ones
  std::vector<Entry> here;     // patterns that end here, ascending
  std::vector<Entry> rest;     // patterns that end here with `**`, ascending
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

// The segments of a path, as deep as any pattern goes, and their symbols once they are wanted.
class Segments {
 public:
  Segments(std::string_view path, std::size_t depth) {
    std::string_view rest = path.substr(1);
    deeper_ = !rest.empty();
    while (deeper_ && count_ < depth) {
      const std::size_t slash = rest.find('/');
      deeper_ = slash != std::string_view::npos;
      symbols_[count_] = kUnasked;
      texts_[count_++] = {rest.data(), deeper_ ? slash : rest.size()};
      rest.remove_prefix(deeper_ ? slash + 1 : rest.size());
    }
  }
  std::size_t size() const { return count_; }
  // There are more than these.
  bool deeper() const { return deeper_; }
  bool empty(std::size_t i) const { return texts_[i].size == 0; }
  std::uint32_t symbol(std::size_t i, const NameIndex& symbols) {
    if (symbols_[i] == kUnasked) symbols_[i] = symbols.find({texts_[i].data, texts_[i].size});
    return symbols_[i];
  }

 private:
  static constexpr std::uint32_t kUnasked = kStar;  // no path has it
  struct Text {
    const char* data;
    std::size_t size;
  };

  std::size_t count_ = 0;
  bool deeper_ = false;
  std::array<std::uint32_t, kMaxDepth> symbols_;
  std::array<Text, kMaxDepth> texts_;
};

}  // namespace

struct RouteTable::Impl {
  PathRules rules;
  std::vector<Node> nodes{1};
  NameIndex symbols;
  NameIndex methods;
  HashIndex children;  // edge(node, symbol) -> node
  std::vector<Compiled> patterns;
  std::size_t depth = 0;  // of the deepest node

  Impl() {
    symbols.add("");  // kEmpty
    methods.add("");  // any
  }

  static std::uint64_t edge(std::uint32_t node, std::uint32_t symbol) {
    return HashIndex::mix(std::uint64_t{node} << 32 | symbol);
  }
  std::uint32_t literal_child(std::uint32_t node, std::uint32_t symbol) const {
    return children.find(edge(node, symbol), [](std::uint32_t) { return true; });
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
  std::optional<Match> walk(std::uint32_t method, Segments& path, std::uint32_t from) const;
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
  std::uint32_t found = next;
  if (symbol == kStar) {
    if (nodes[node].star == kNone) nodes[node].star = next;
    found = nodes[node].star;
  } else {
    nodes[node].has_children = true;
    found = literal_child(node, symbol);
    if (found == kNone) {
      children.add(edge(node, symbol), next);
      found = next;
    }
  }
  if (found == next) nodes.emplace_back();
  return found;
}

namespace {

// The first entry from `from` on, before `best`, for the method.
void take_first(const std::vector<Entry>& entries, std::uint32_t method, std::uint32_t from,
                std::optional<RouteTable::Match>& best) {
  if (entries.empty()) return;
  auto it = entries.begin();
  if (it->order < from) {
    it = std::lower_bound(it, entries.end(), from,
                          [](const Entry& e, std::uint32_t order) { return e.order < order; });
  }
  for (; it != entries.end() && (!best || it->order < best->order); ++it) {
    if (it->method == 0 || it->method == method) {
      best = {it->class_id, it->order};
      return;
    }
  }
}

}  // namespace

std::optional<RouteTable::Match> RouteTable::Impl::walk(std::uint32_t method, Segments& path,
                                                        std::uint32_t from) const {
  struct Branch {
    std::uint32_t node;
    std::uint32_t at;  // segments taken
  };
  std::array<Branch, kMaxDepth + 2> stack;
  std::size_t top = 0;
  stack[top++] = {0, 0};
  std::optional<Match> best;
  // A node pushes at most two branches and takes one back at once: one waits at each depth.
  while (top > 0) {
    const Branch branch = stack[--top];
    const Node& node = nodes[branch.node];
    if (node.last < from || node.first == kNone || (best && node.first >= best->order)) continue;
    if (!node.rest.empty()) take_first(node.rest, method, from, best);
    if (branch.at == path.size()) {
      if (!path.deeper()) take_first(node.here, method, from, best);
      continue;
    }
    if (node.star != kNone && !path.empty(branch.at)) stack[top++] = {node.star, branch.at + 1};
    if (!node.has_children) continue;
    const std::uint32_t symbol = path.symbol(branch.at, symbols);
    if (symbol == kUnknown) continue;
    const std::uint32_t next = literal_child(branch.node, symbol);
    if (next != kNone) stack[top++] = {next, branch.at + 1};
  }
  return best;
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
  Node& end = impl_->nodes[node];
  (compiled.any_rest ? end.rest : end.here).push_back({order, class_id, compiled.method});
  impl_->depth = std::max(impl_->depth, compiled.symbols.size());
}

std::optional<RouteTable::Match> RouteTable::match(std::string_view method, std::string_view path,
                                                   std::uint32_t from) const {
  if (path.empty() || path[0] != '/') return std::nullopt;
  if (method == "HEAD") method = "GET";
  Segments segments(path, impl_->depth);
  return impl_->walk(impl_->methods.find(method), segments, from);
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
