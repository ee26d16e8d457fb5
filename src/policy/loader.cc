// Text to policy: parse, check against the table, expand, fill defaults, compile, seal.
#include "policy/loader.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "policy/check.h"
#include "policy/compile.h"
#include "policy/expand.h"
#include "policy/files.h"
#include "policy/table.h"
#include "policy/utf8.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

namespace {

std::string id_of(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return {};
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) out += {kHex[digest[i] >> 4], kHex[digest[i] & 15]};
  return out;
}

void compile_routes(Policy& policy) {
  policy.routes.set_rules(policy.paths);
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    for (const Pattern& pattern : policy.classes[c].match) {
      policy.routes.add(pattern, static_cast<std::uint16_t>(c));
    }
  }
}

// 1 wherever nothing was said, now that all units are known.
void complete_costs(Policy& policy) {
  for (Class& c : policy.classes) {
    c.cost.resize(policy.units.size());
    for (std::vector<std::uint64_t>& costs : c.cost) costs.resize(policy.tiers.size(), 1);
  }
}

// In charging order: most key parts first, global last, then file order.
void order_limits(Policy& policy) {
  std::vector<LimitId> order;
  for (std::size_t i = 0; i < policy.limits.size(); ++i) order.push_back(static_cast<LimitId>(i));
  std::stable_sort(order.begin(), order.end(), [&](LimitId a, LimitId b) {
    return policy.limits[a].key.size() > policy.limits[b].key.size();
  });
  policy.by_class_.assign(policy.classes.size(), {});
  for (const LimitId id : order) {
    const Limit& limit = policy.limits[id];
    if (limit.mode == Mode::off) continue;
    for (std::size_t c = 0; c < limit.covers.size(); ++c) {
      if (limit.covers[c]) policy.by_class_[c][static_cast<std::size_t>(limit.stage)].push_back(id);
    }
  }
}

Loaded finish(std::shared_ptr<Policy> policy, Report& report) {
  const bool failed = report.failed();
  return {failed ? nullptr : std::move(policy), report.take()};
}

}  // namespace

Loaded load_text(std::string_view text, const std::string& file) {
  Report report(file);
  YamlTree tree = parse_yaml(text, report);
  if (!tree.root) return finish(nullptr, report);
  Node& root = *tree.root;
  check_tree(root, format(), report);
  if (root.bad || !root.is_mapping()) return finish(nullptr, report);
  expand(root, report);
  fill_defaults(root, format());

  auto policy = std::make_shared<Policy>();
  policy->file = file;
  policy->units = {"requests"};
  Typed typed;
  Build build{
      .root = root, .policy = *policy, .typed = typed, .report = report, .folder = folder_of(file)};
  compile_rest(build);
  compile_store(build);
  compile_tiers(build);
  compile_listeners(build);
  compile_identity(build);
  compile_classes(build);
  compile_limits(build);
  compile_overrides(build);
  check_limits(build);
  compile_guarantees(build);
  compile_response(build);
  if (report.failed()) return finish(nullptr, report);

  complete_costs(*policy);
  compile_routes(*policy);
  order_limits(*policy);
  policy->long_form = print_long_form(*policy, typed);
  policy->id = id_of(policy->long_form);
  return finish(std::move(policy), report);
}

Loaded load_file(const std::string& path) {
  const Result<std::string> text = read_file(path, kMaxYamlBytes);
  if (text) return load_text(*text, path);
  Report report(path);
  const std::string named = "`" + printable(path) + "` ";  // the finding begins with the path
  Error why = text.error();
  if (why.message.starts_with(named)) why.message.erase(0, named.size());
  report.unreadable({}, why);
  return finish(nullptr, report);
}

}  // namespace weir::policy
