// Reading a checked tree: absent and bad alike are nothing.
#include "policy/compile.h"

#include <algorithm>

#include "policy/files.h"
#include "policy/quantity.h"

namespace weir::policy {

const Node* get(const Node& mapping, std::string_view key) {
  const Node* node = mapping.is_mapping() ? mapping.find(key) : nullptr;
  return node == nullptr || node->bad ? nullptr : node;
}

std::string text_of(const Node& mapping, std::string_view key) {
  const Node* node = get(mapping, key);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

bool true_of(const Node& mapping, std::string_view key) { return text_of(mapping, key) == "true"; }

std::optional<std::uint64_t> count_of(const Node& mapping, std::string_view key) {
  const Result<std::uint64_t> count = parse_count(text_of(mapping, key));
  return count ? std::optional(*count) : std::nullopt;
}

std::optional<Duration> duration_of(const Node& mapping, std::string_view key) {
  const Result<Duration> duration = parse_duration(text_of(mapping, key));
  return duration ? std::optional(*duration) : std::nullopt;
}

bool has_bad(const Node& node) {
  return node.bad || std::any_of(node.items.begin(), node.items.end(), has_bad) ||
         std::any_of(node.entries.begin(), node.entries.end(),
                     [](const Entry& e) { return has_bad(e.value); });
}

bool from_elsewhere(std::string_view text) {
  return text.starts_with("file:") || text.find("${env:") != text.npos;
}

std::optional<std::string> resolved(Build& build, const Node& node) {
  Result<std::string> text = resolve_text(node.text, build.folder);
  if (text) return std::move(*text);
  build.report.unreadable(node.at, text.error());
  return std::nullopt;
}

std::string Build::near_name(std::string_view word, const std::vector<std::string>& words) const {
  if (report.full()) return {};
  const std::string_view near = nearest(word, words);
  if (!near.empty()) return "did you mean `" + std::string(near) + "`?";
  if (words.empty()) return {};
  std::string out = "there is ";
  for (std::size_t i = 0; i < words.size() && i < 12; ++i) {
    out += (i > 0 ? ", `" : "`") + words[i] + "`";
  }
  return words.size() > 12 ? out + ", ..." : out;
}

UnitId Build::unit(std::string_view name, Position at) {
  const std::string unit = plural_unit(name);
  const auto found = std::find(policy.units.begin(), policy.units.end(), unit);
  if (found != policy.units.end()) {
    return static_cast<UnitId>(found - policy.units.begin());
  }
  if (policy.units.size() >= kMaxUnits) {
    report.error(at, "more than " + std::to_string(kMaxUnits) + " units", "use fewer");
    return 0;
  }
  policy.units.push_back(unit);
  return static_cast<UnitId>(policy.units.size() - 1);
}

}  // namespace weir::policy
