// The schema and the loader agree: on the files of the tests, and on every mutation of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "policy/findings.h"
#include "policy/loader.h"
#include "policy/table.h"
#include "policy/testing/schema_check.h"
#include "policy/yaml_tree.h"

namespace weir::policy {
namespace {

using testing::SchemaCheck;
using testing::to_json;

std::string slurp(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

Node parsed(const std::string& text) {
  Report report("p");
  YamlTree tree = parse_yaml(text, report);
  for (const Finding& f : report.take()) ADD_FAILURE() << f.text();
  return tree.root ? *tree.root : Node{};
}

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// The tree as flow YAML; plain scalars stay plain where they may.
std::string render(const Node& node) {
  std::string out;
  if (node.is_mapping()) {
    for (const Entry& e : node.entries) {
      out += (out.empty() ? "" : ", ") + quote(e.key) + ": " + render(e.value);
    }
    return "{" + out + "}";
  }
  if (node.is_sequence()) {
    for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + render(item);
    return "[" + out + "]";
  }
  const bool plain = core_type(node) != Core::text && !node.quoted;
  if (node.text.empty() && !node.quoted) return "null";  // "[a, ]" has one item
  return plain ? node.text : quote(node.text);
}

bool loads(const Node& root) {
  const Loaded loaded = load_text(render(root), "test/data/p.yaml");
  return loaded.policy != nullptr;
}

// Visits every node, with what the table says of it; null where the table knows nothing.
void visit(Node& node, const Spec* spec, const std::function<void(Node&, const Spec*)>& f) {
  f(node, spec);
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const Spec* child = spec == nullptr ? nullptr : spec->child(node.entries[i].key);
    if (child == nullptr && spec != nullptr) child = spec->any.get();
    visit(node.entries[i].value, child, f);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    visit(node.items[i], spec == nullptr ? nullptr : spec->item.get(), f);
  }
}

class Agreement : public ::testing::TestWithParam<const char*> {
 protected:
  Agreement() : check_(schema_json()), base_(parsed(slurp(GetParam()))) {}

  // Judged by both; `both`: they must agree, else the schema only may not be the stricter one.
  void judge(bool both, const char* what) {
    const bool loader = loads(base_);
    const bool schema = check_.accepts(to_json(base_));
    ++judged_;
    if (loader) {
      EXPECT_TRUE(schema) << what << ": the schema refuses what loads\n" << render(base_);
    } else if (both) {
      EXPECT_FALSE(schema) << what << ": the schema accepts what does not load\n" << render(base_);
    }
  }

  SchemaCheck check_;
  Node base_;
  std::size_t judged_ = 0;
};

TEST_P(Agreement, TheFileItself) {
  EXPECT_TRUE(loads(base_));
  EXPECT_TRUE(check_.accepts(to_json(base_)));
}

TEST_P(Agreement, AnUnknownKeyInAnyMapping) {
  visit(base_, &format(), [&](Node& node, const Spec* spec) {
    if (!node.is_mapping() || spec == nullptr || spec->any) return;
    node.entries.push_back({"unheard_of", node.at, Node::scalar("1", node.at)});
    judge(true, "unknown key");
    node.entries.pop_back();
  });
  EXPECT_GT(judged_, 0u);
}

TEST_P(Agreement, EveryKeyThatIsNotEnforced) {
  visit(base_, &format(), [&](Node& node, const Spec* spec) {
    if (!node.is_mapping() || spec == nullptr) return;
    for (const auto& child : spec->children) {
      if (child->row->since != Since::later) continue;
      node.entries.push_back({child->key, node.at, Node::scalar("x", node.at)});
      judge(true, "not enforced");
      node.entries.pop_back();
    }
  });
  EXPECT_GT(judged_, 0u);
}

TEST_P(Agreement, AnotherShapeForAnyValue) {
  const Node shapes[] = {Node::mapping({}),
                         Node::sequence({}),
                         Node::scalar("", {}),
                         Node::scalar("true", {}),
                         Node::scalar("1.5", {}),
                         Node::scalar("-1", {}),
                         Node::scalar("no such word", {}, true)};
  visit(base_, &format(), [&](Node& node, const Spec*) {
    const Node kept = node;
    for (const Node& shape : shapes) {
      node = shape;
      judge(false, "another shape");
    }
    node = kept;
  });
  EXPECT_GT(judged_, 50u);
}

TEST_P(Agreement, AMappingForAnyScalarAndAScalarForAnyMapping) {
  visit(base_, &format(), [&](Node& node, const Spec* spec) {
    if (spec == nullptr) return;
    const Node kept = node;
    if (node.is_scalar() && (spec->row->types & (kMap | kNames)) == 0) {
      node = Node::mapping({});
      node.add("a", Node::scalar("b", {}));
      judge(true, "a mapping");
    } else if (node.is_mapping() && (spec->row->types & ~(kMap | kNames | kList)) == 0) {
      node = Node::scalar("plain", {});
      judge(true, "a scalar");
    }
    node = kept;
  });
  EXPECT_GT(judged_, 3u);
}

TEST_P(Agreement, AnyKeyMisspeltOrLeftOut) {
  visit(base_, &format(), [&](Node& node, const Spec*) {
    for (std::size_t i = 0; i < node.entries.size(); ++i) {
      const Entry kept = node.entries[i];
      node.entries[i].key += "x";
      judge(false, "misspelt");
      node.entries.erase(node.entries.begin() + static_cast<std::ptrdiff_t>(i));
      judge(false, "left out");
      node.entries.insert(node.entries.begin() + static_cast<std::ptrdiff_t>(i), kept);
    }
  });
  EXPECT_GT(judged_, 3u);
}

INSTANTIATE_TEST_SUITE_P(Files, Agreement,
                         ::testing::Values("test/data/policy-long.yaml",
                                           "test/data/policy-short.yaml",
                                           "test/data/policy-redis.yaml", "examples/plans.yaml",
                                           "examples/abuse.yaml"));

// ---- the table, the fixtures and the documents
// ---------------------------------------------------

std::set<std::string> paths_in(Node root) {
  std::set<std::string> paths;
  visit(root, &format(), [&](Node&, const Spec* spec) {
    if (spec != nullptr) paths.insert(std::string(spec->row->path));
  });
  return paths;
}

TEST(Table, EveryKeyOccursInTheFixtures) {
  std::set<std::string> seen;
  for (const char* file : {"test/data/policy-long.yaml", "test/data/policy-later.yaml",
                           "test/data/policy-short.yaml", "test/data/policy-redis.yaml"}) {
    seen.merge(paths_in(parsed(slurp(file))));
  }
  for (const Row& row : rows()) {
    EXPECT_TRUE(seen.contains(std::string(row.path))) << row.path;
  }
}

TEST(Table, WhatIsNotEnforcedIsRefusedByExactlyItsName) {
  const Loaded loaded = load_text(slurp("test/data/policy-later.yaml"), "p");
  std::multiset<std::string> refused;
  for (const Finding& f : loaded.findings) {
    const std::size_t end = f.message.find("` is not enforced in this version");
    ASSERT_NE(end, std::string::npos) << f.text();
    refused.insert(f.message.substr(1, end - 1));
  }
  std::multiset<std::string> wanted{
      "instances: auto", "type: file", "proxy-protocol",         "verify: here",
      "json:",           "mtls:",      "algorithm: concurrency", "algorithm: quota"};
  for (const Row& row : rows()) {
    if (row.since != Since::later) continue;
    // A key below a refused one is not looked at.
    const std::size_t end = row.path.find_last_of('.');
    const std::string_view parent = end == row.path.npos ? "" : row.path.substr(0, end);
    bool below = row.path.ends_with("[]") || row.path.ends_with("*");
    for (const Row& other : rows()) {
      if (other.since != Since::later) continue;
      below = below || other.path == parent || parent.starts_with(std::string(other.path) + "[") ||
              parent.starts_with(std::string(other.path) + ".");
    }
    if (!below)
      wanted.insert(std::string(end == row.path.npos ? row.path : row.path.substr(end + 1)));
  }
  EXPECT_EQ(refused, wanted);
}

TEST(Table, TheReferencePageIsCurrent) {
  if (std::getenv("WEIR_UPDATE_DOCS") != nullptr) {
    std::ofstream("docs/policy-reference.md") << reference_markdown();
  }
  EXPECT_EQ(slurp("docs/policy-reference.md"), reference_markdown())
      << "run this test with WEIR_UPDATE_DOCS=1";
}

// Every block of the guide is a whole policy without a finding that is an error.
TEST(Docs, EveryBlockOfTheGuideLoads) {
  const std::string text = slurp("docs/policy.md");
  int blocks = 0;
  for (std::size_t at = text.find("```yaml\n"); at != std::string::npos;
       at = text.find("```yaml\n", at)) {
    at += 8;
    const std::string block = text.substr(at, text.find("```", at) - at);
    const Loaded loaded = load_text(block, "docs/policy.md");
    for (const Finding& f : loaded.findings) {
      EXPECT_EQ(f.severity, Severity::info) << f.text() << "\n" << block;
    }
    ++blocks;
  }
  EXPECT_GE(blocks, 8);
}

}  // namespace
}  // namespace weir::policy
