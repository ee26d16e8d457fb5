// Typed reading of a timeline's YAML: every key known, every mistake named with its place.
//
// Values that are wrong are reported and read as empty or 0; the timeline is refused in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/request.h"
#include "cli/timeline.h"
#include "policy/findings.h"
#include "policy/yaml_tree.h"
#include "weir/clock.h"

namespace weir::cli {

class TimelineReader {
 public:
  using Handler = std::function<void(const policy::Node&)>;
  using Handlers = std::vector<std::pair<std::string, Handler>>;

  // `report` outlives the reader.
  explicit TimelineReader(policy::Report& report) : errors_(report) {}

  // Gives each key of a mapping to its handler; names the nearest word for one that has none.
  void each_key(const policy::Node& node, std::string_view what, const Handlers& handlers);
  std::string scalar(const policy::Node& node, std::string_view what);
  Duration duration(const policy::Node& node, std::string_view what);
  std::uint64_t count(const policy::Node& node, std::string_view what);
  bool flag(const policy::Node& node, std::string_view what);
  RequestSpec::Pairs pairs(const policy::Node& node, std::string_view what);
  void error(const policy::Node& node, std::string message) {
    errors_.error(node.at, std::move(message));
  }

 private:
  policy::Report& errors_;
};

// The request of a step, on top of what every request of the file has.
RequestSpec read_request(TimelineReader& reader, const policy::Node& node, RequestSpec spec);

// What a step expects of the answers to its requests.
std::vector<Expected> read_expected(policy::Report& report, const policy::Node& node);

}  // namespace weir::cli
