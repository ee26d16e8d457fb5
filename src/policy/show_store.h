// How the texts of `store` are shown: a URL, a password or a secret without what nobody may read.
//
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace weir::policy {

// What is shown for a secret that stands in the policy itself; read again, it is a variable that
// nobody sets.
inline constexpr std::string_view kRedacted = "${env:REDACTED}";

// A text that is nothing but references (`file:PATH`, `${env:NAME}`) is shown as it was typed.
std::string show_secret(std::string_view typed);
// The same for the password of a URL, before its references are resolved.
std::string show_store_url(std::string_view typed);

}  // namespace weir::policy
