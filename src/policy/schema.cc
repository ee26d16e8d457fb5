// JSON Schema (2020-12) of the policy file, from the table of keys: `weir schema`.
//
// It is for editors: whatever the loader accepts it accepts, and keys, types, words and what this
// version does not enforce are judged alike. What takes more than one key to see (a tier that
// exists, the numbers of an algorithm) only the loader judges.
#include <string>

#include "policy/loader.h"
#include "policy/table.h"
#include "policy/yaml_text.h"

namespace weir::policy {

namespace {

constexpr std::string_view kNamePattern = "[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,63}";
constexpr std::string_view kDurationPattern = "([0-9]+(d|h|m|s|ms))+";
constexpr std::string_view kPeriodWords = "s|sec|second|m|min|minute|h|hour|d|day";

std::string pattern(std::string_view regex) {
  return R"({"type": "string", "pattern": )" + quote(regex) + "}";
}

std::string range(const Row& row, std::string_view type) {
  return R"({"type": )" + quote(type) + R"(, "minimum": )" + std::to_string(row.least) +
         R"(, "maximum": )" + std::to_string(row.most) + "}";
}

std::string words(const Spec& spec) {
  std::string list;
  for (const std::string& word : spec.words()) list += (list.empty() ? "" : ", ") + quote(word);
  return R"({"enum": [)" + list + "]}";
}

class Writer {
 public:
  std::string document() {
    std::string out = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n";
    out += "  \"title\": \"weir policy\",\n";
    const std::string root = object(format(), 0);
    return out + root.substr(2) + "\n";  // the root's own keys follow the title
  }

 private:
  static std::string indent(int depth) {
    return std::string(static_cast<std::size_t>(depth) * 2, ' ');
  }

  std::string object(const Spec& spec, int depth) {
    const std::string in = indent(depth + 1);
    std::string out = "{\n" + in + "\"type\": \"object\"";
    std::string required;
    if (!spec.children.empty()) {
      out += ",\n" + in + "\"properties\": {";
      bool first = true;
      for (const auto& child : spec.children) {
        out += std::string(first ? "" : ",") + "\n" + indent(depth + 2) + quote(child->key) + ": " +
               described(*child, depth + 2);
        first = false;
        if (child->row->required) required += (required.empty() ? "" : ", ") + quote(child->key);
      }
      out += "\n" + in + "}";
    }
    if (!required.empty()) out += ",\n" + in + "\"required\": [" + required + "]";
    if (spec.any) {
      out += ",\n" + in + "\"propertyNames\": " + pattern(names(spec.any->row->path));
    }
    out += ",\n" + in + "\"additionalProperties\": ";
    out += spec.any ? value(*spec.any, depth + 1) : "false";
    return out + "\n" + indent(depth) + "}";
  }

  static std::string names(std::string_view path) {
    if (path == "costs.*" || path == "tiers.*.costs.*") return "/";
    return "^(\\*|" + std::string(kNamePattern) + ")$";
  }

  // A key's value with its description and default.
  std::string described(const Spec& spec, int depth) {
    const Row& row = *spec.row;
    const std::string in = indent(depth + 1);
    std::string text = "{\n" + in + "\"description\": ";
    if (row.since == Since::later) {
      return text + quote("Not enforced in this version: " + std::string(row.doc) + ".") + ",\n" +
             in + "\"not\": {}\n" + indent(depth) + "}";
    }
    text += quote(row.doc);
    if (!row.fallback.empty() && row.fallback != "{}") {
      text += ",\n" + in + "\"default\": " + fallback(row.fallback);
    }
    const std::string inner = value(spec, depth);
    // The value is an object of its own: its keys join the description's.
    const std::size_t start = inner.find_first_not_of(" \n", 1);
    const std::size_t end = inner.find_last_not_of(" \n", inner.size() - 2);
    return text + ",\n" + in + inner.substr(start, end + 1 - start) + "\n" + indent(depth) + "}";
  }

  static std::string fallback(std::string_view text) {
    if (text == "true" || text == "false" || text == "[]") return std::string(text);
    if (text.find_first_not_of("0123456789.") == text.npos) return std::string(text);
    if (text.starts_with('"')) return std::string(text);
    if (!text.starts_with('[')) return quote(text);
    std::string out;
    for (std::string_view rest = text.substr(1, text.size() - 2); !rest.empty();) {
      const std::size_t end = rest.find(", ");
      const std::string_view item = rest.substr(0, end);
      out += (out.empty() ? "" : ", ") + (item.starts_with('"') ? std::string(item) : quote(item));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 2);
    }
    return "[" + out + "]";
  }

  std::string value(const Spec& spec, int depth) {
    std::vector<std::string> ways;
    scalars(spec, ways);
    if (spec.allows(kList)) {
      ways.push_back("{\n" + indent(depth + 1) + "\"type\": \"array\",\n" + indent(depth + 1) +
                     "\"items\": " + value(*spec.item, depth + 1) + "\n" + indent(depth) + "}");
    }
    if (spec.row->types & (kMap | kNames)) ways.push_back(object(spec, depth));
    if (ways.size() == 1) return ways[0];
    std::string out = "{\n" + indent(depth + 1) + "\"anyOf\": [";
    for (std::size_t i = 0; i < ways.size(); ++i) out += (i > 0 ? ", " : "") + ways[i];
    return out + "]\n" + indent(depth) + "}";
  }

  static void scalars(const Spec& spec, std::vector<std::string>& ways) {
    const Row& row = *spec.row;
    if (row.types & (kText | kSecret)) ways.emplace_back(R"({"type": "string", "minLength": 1})");
    if (row.types & kStore)
      ways.push_back(pattern(R"(^memory$|^rediss?(\+(sentinel|cluster))?://|\$\{env:)"));
    if ((row.types & kWord) && !spec.words().empty()) ways.push_back(words(spec));
    if (row.types & kName) ways.push_back(pattern("^" + std::string(kNamePattern) + "$"));
    if (row.types & (kCount | kInteger)) ways.push_back(range(row, "integer"));
    if (row.types & kCount) ways.push_back(pattern("^[0-9]+[kMG]$"));
    if (row.types & kBool) ways.emplace_back(R"({"type": "boolean"})");
    if (row.types & kFraction) {
      ways.emplace_back(R"({"type": "number", "minimum": 0, "maximum": 1})");
    }
    if (row.types & kRate) {
      ways.push_back(pattern("^[0-9]+[kMG]?( " + std::string(kNamePattern) + ")?/(" +
                             std::string(kPeriodWords) + "|" + std::string(kDurationPattern) +
                             ")$"));
    }
    if (row.types & kDuration) ways.push_back(pattern("^" + std::string(kDurationPattern) + "$"));
    if (row.types & kDate) ways.push_back(pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt].+)?$"));
    if ((row.types & kNetwork) && !(row.types & kSecret)) {
      ways.emplace_back(R"({"type": "string", "minLength": 1})");
    }
    if (row.types & kPattern) ways.push_back(pattern("/"));
  }
};

}  // namespace

std::string schema_json() { return Writer().document(); }

}  // namespace weir::policy
