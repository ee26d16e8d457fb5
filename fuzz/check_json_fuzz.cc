// The body of /v1/check: any bytes are read or refused, and what is read keeps its promises.
#include <cstdlib>
#include <string_view>

#include "serve/check_request.h"
#include "wire/http1.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weir::policy::Policy policy = [] {
    weir::policy::Policy made;
    made.units = {"requests", "points"};
    return made;
  }();
  static weir::serve::CheckParser parser;
  static weir::serve::CheckRequest request;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto problem = parser.parse(body, policy, request)) {
    if (problem->detail.empty()) std::abort();
    return 0;
  }
  if (!weir::wire::is_token(request.method)) std::abort();
  for (const auto& cost : request.costs) {
    if (cost.cost > weir::kMaxCount) std::abort();
  }
  for (const auto& header : request.headers) {
    if (!weir::wire::is_token(header.name)) std::abort();
    if (header.value.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
