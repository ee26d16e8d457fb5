// The formats of access logs that weir reads, by name, and which of them some lines are.
//
//   auto parser = traffic::make_parser("combined", "");   // or an nginx log_format ($...), or an
//                                                          // Apache LogFormat (%...)
//   auto detected = traffic::detect(first_lines);         // {"combined", parser}
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/parser.h"
#include "weir/result.h"

namespace weir::traffic {

struct Detected {
  std::string name;
  std::unique_ptr<Parser> parser;
};

// `field_map` is for formats with names of their own (JSON lines, CSV). Errors: no such name, with
// the nearest; a variable that cannot be read.
Result<std::unique_ptr<Parser>> make_parser(std::string_view spec, std::string_view field_map);

// The format that reads the most of `lines`, if it reads half of those that are not comments.
Result<Detected> detect(const std::vector<std::string_view>& lines);

// In the order in which they are tried.
std::vector<std::string> format_names();

}  // namespace weir::traffic
