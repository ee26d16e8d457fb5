// `expect` of a step: which parts of the answer, and the spelling of each.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/timeline.h"
#include "cli/timeline_reader.h"

namespace weir::cli {
namespace {

using policy::Entry;
using policy::Node;
using policy::Report;

class ExpectReader {
 public:
  explicit ExpectReader(Report& report) : report_(report) {}

  std::vector<Expected> read(const Node& node);

 private:
  void value(const Entry& entry, std::string path);
  void values(const Entry& outer, const std::string& path);

  Report& report_;
  std::vector<Expected> expected_;
};

std::vector<Expected> ExpectReader::read(const Node& node) {
  if (!node.is_mapping()) {
    report_.error(node.at, "`expect` must be a mapping");
    return {};
  }
  for (const Entry& entry : node.entries) {
    const bool nested = entry.key == "headers" || entry.key == "body" || entry.key == "denied_by";
    if (nested) {
      values(entry, entry.key);
    } else if (entry.key == "limits" && entry.value.is_mapping()) {
      for (const Entry& limit : entry.value.entries) values(limit, "limits." + limit.key);
    } else {
      value(entry, entry.key);
    }
  }
  return std::move(expected_);
}

// Each value of a mapping; what is no mapping is a value itself.
void ExpectReader::values(const Entry& outer, const std::string& path) {
  if (!outer.value.is_mapping()) return value(outer, path);
  for (const Entry& inner : outer.value.entries) value(inner, path + "." + inner.key);
}

void ExpectReader::value(const Entry& entry, std::string path) {
  const Node& node = entry.value;
  Expected e{node.at, std::move(path), std::nullopt};
  const bool absent = node.is_scalar() && policy::core_type(node) == policy::Core::null;
  if (!absent) {
    auto value = canonical(e.path, node);
    if (!value) {
      const bool unknown = value.error().code == ErrorCode::not_found;
      report_.error(unknown ? entry.at : node.at, value.error().message, value.error().where);
      return;
    }
    e.value = std::move(*value);
  }
  expected_.push_back(std::move(e));
}

}  // namespace

std::vector<Expected> read_expected(Report& report, const Node& node) {
  return ExpectReader(report).read(node);
}

}  // namespace weir::cli
