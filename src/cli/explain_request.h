// Why one request is answered as it is: the JSON of `weir explain`, and its text.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "cli/session.h"
#include "identity/facts.h"

namespace weir::cli {

// {request, class, pattern, caller, limits, governing, why, answer}
boost::json::object explain_request(const Answered& answered, const identity::Facts& facts);
std::string request_text(const boost::json::object& explained);

}  // namespace weir::cli
