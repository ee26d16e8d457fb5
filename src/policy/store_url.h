// The URL of a Redis as a policy names it: redis://[user[:password]@]host[:port][/db],
// redis+sentinel://...host,host/NAME[/db] or redis+cluster://...host,host; rediss for TLS.
//
//   if (auto good = check_store_url(url); !good) report("`url` " + good.error().message);
//
// No message repeats any of the URL: it may hold a password. Pure.
#pragma once

#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::policy {

// The error's message says what is wrong, to follow the URL's name: "has no host"; `where` says
// what to write instead.
Result<void> check_store_url(std::string_view url);

bool store_url_is_tls(std::string_view url);

// What is shown for a secret that stands in the policy itself; read again, it is a variable that
// nobody sets.
inline constexpr std::string_view kRedacted = "${env:REDACTED}";

// A text that is nothing but references (`file:PATH`, `${env:NAME}`) is shown as it was typed.
std::string show_secret(std::string_view typed);
// The same for the password of a URL, before its references are resolved.
std::string show_store_url(std::string_view typed);

}  // namespace weir::policy
