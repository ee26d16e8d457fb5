// The request line: what a target may look like, and which part of it a server reads.
//
// Pure; no allocation; views of what is given.
#pragma once

#include <optional>
#include <string_view>

namespace weir::wire {

// "/path?query" of any form that is for this server: of "http://host/path" what every server must
// accept (RFC 9112, 3.2.2), and "*" of OPTIONS. nullopt: none of them.
std::optional<std::string_view> origin_form(std::string_view method, std::string_view target);

// "GET /path HTTP/2.0": a request line but for its version.
bool names_other_version(std::string_view head);

}  // namespace weir::wire
