// The script that decides in Redis (script/charge.lua), embedded, and its name there.
//
//   redis-cli SCRIPT LOAD "$(cat charge.lua)"   ->   charge_script().sha1
//
// Both are made when weir is built; the text is the installed share/weir/redis/charge.lua byte for
// byte. Lives as long as the program. Thread-safe.
#pragma once

#include <string_view>

namespace weir::redis {

struct Script {
  std::string_view text;
  std::string_view sha1;  // 40 digits, lower case
};

const Script& charge_script();

}  // namespace weir::redis
