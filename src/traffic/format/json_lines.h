// Lines that are JSON objects, one a request: members are found by their names, `request.uri` in an
// inner object.
//
// An array of values is its first one (Caddy's header lists); an array of {name, value} or {key,
// value} is an object of those names (AWS WAF's headers, OTLP's attributes). null is an absent
// value. Names are told apart by case. What a line has beside the fields must be JSON all the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/format/field_map.h"
#include "traffic/parser.h"

namespace weir::traffic {

struct JsonFormat {
  // Of several names of one field the first that a line has is taken; costs of a unit add up.
  std::vector<NamedField> fields;
  // A line without one of these is no request: an event of another kind.
  std::vector<std::string> needs{};
};

std::unique_ptr<Parser> make_json_parser(const JsonFormat& format);

}  // namespace weir::traffic
