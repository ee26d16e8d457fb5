// UTF-8 of a policy file: where it is not, and what of it may stand in a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/position.h"

namespace weir::policy {

// The line and column of the first byte that is not UTF-8 (overlong forms and surrogates are not).
std::optional<Position> first_invalid_utf8(std::string_view text);

// `text` for a message: control characters escaped, cut after 80 bytes.
std::string printable(std::string_view text);

}  // namespace weir::policy
