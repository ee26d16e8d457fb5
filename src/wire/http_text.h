// The small words of HTTP: tokens, and names in any case. ASCII; no locale, no allocation.
#pragma once

#include <string_view>

namespace weir::wire {

// RFC 9110 `token`: what methods and field names are made of.
bool is_token_char(char c);
bool is_token(std::string_view text);

// What a Host field may hold (RFC 9110, 7.2): a host as in a URI, and a port or none. Empty is one.
bool is_host(std::string_view text);

bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace weir::wire
