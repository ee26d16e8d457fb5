// Decodes the escapes that servers write in quoted fields of logs.
#pragma once

#include <string>
#include <string_view>

namespace weir::traffic {

// `\"`, `\\`, `\/`, `\n`, `\r`, `\t`, `\b`, `\v`, `\xHH` and `\u00HH` (escape=json of nginx) become
// their byte; another backslash stays as it is. Never longer than `text`.
void append_unescaped(std::string& out, std::string_view text);

}  // namespace weir::traffic
