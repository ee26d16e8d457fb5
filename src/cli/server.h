// Asking a running weir on behalf of `check` and `explain`.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "cli/request.h"
#include "weir/result.h"

namespace weir::cli {

// The verdict of POST /v1/check. A refusal by the server is an error with its own words.
Result<boost::json::object> ask_server(const std::string& url, const RequestSpec& spec);

}  // namespace weir::cli
