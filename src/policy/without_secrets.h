// A line of a policy as it may be shown: passwords and secrets that are written out in it are
// stars.
#pragma once

#include <string>
#include <string_view>

namespace weir::policy {

// As many bytes as before, so that columns stay. Hidden are what stands before the `@` of a URL,
// and the value of a key whose name speaks of a password or a secret, or nearly does. A value that
// only says where to find it ("${env:NAME}", "file:PATH") is shown.
std::string without_secrets(std::string_view line);

}  // namespace weir::policy
