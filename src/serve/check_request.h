// The body of POST /v1/check: JSON {method, path, client_ip, headers, attributes, cost, peek,
// stage}, read strictly.
//
//   if (auto problem = parser.parse(body, policy, request)) answer 400, naming problem->field;
//
// `method` and `path` are required. `headers` is {name: value or [values]}, `attributes`
// {name: value}, `cost` a whole number (in every unit) or {unit: number}, `stage` "pre" or "post".
// An unknown member, a wrong type, a repeated member or a number that is not whole is refused.
// A CheckParser is reused; the views of a request live until its next `parse`. Allocates only where
// a body needs more than its arena. Not thread-safe.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/facts.h"
#include "policy/policy.h"

namespace weir::serve {

inline constexpr std::size_t kMaxAttributeValue = 256;

struct CheckRequest {
  std::string_view method;
  std::string_view path;
  std::optional<policy::Address> client_ip;
  std::vector<identity::Field> headers;
  std::vector<identity::Field> attributes;
  std::vector<identity::StatedCost> costs;
  bool peek = false;
  identity::StageFilter stage = identity::StageFilter::all;
};

struct CheckProblem {
  std::string field;   // "cost.points"; empty: the body as a whole
  std::string detail;  // what it must be
};

class CheckParser {
 public:
  std::optional<CheckProblem> parse(std::string_view body, const policy::Policy& policy,
                                    CheckRequest& request);

 private:
  std::array<unsigned char, 8192> arena_;
  std::optional<boost::json::monotonic_resource> resource_;
  std::optional<boost::json::value> document_;
};

}  // namespace weir::serve
