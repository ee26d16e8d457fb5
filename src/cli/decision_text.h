// The verdict JSON of POST /v1/check as text for a terminal.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace weir::cli {

// "429 denied: limit_exceeded by plan-second ...", a row a limit, then the headers and the body.
std::string verdict_text(const boost::json::object& verdict);

// Members of a verdict or of `weir explain`'s JSON, as text; empty where absent or null.
std::string text_of(const boost::json::object& object, std::string_view member);

// Rows as columns two blanks apart.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::string_view indent);

}  // namespace weir::cli
