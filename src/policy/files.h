// What a policy file takes from elsewhere: files beside it, and ${env:NAME} and file:PATH in texts.
//
// Errors name the file or the variable, never what is in it. Thread-safe as getenv is: nobody sets
// the environment while policies load.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::policy {

// Relative paths start at `folder` (empty: the working directory).
std::string resolve_path(std::string_view folder, std::string_view path);
// The folder part of a path; empty where it has none.
std::string folder_of(std::string_view path);

// The whole file, if it has at most `most` bytes. A pipe or a device must end within `patience`.
// ErrorCode::unavailable: it may be there later, as where it is being replaced or written.
Result<std::string> read_file(const std::string& path, std::size_t most,
                              std::chrono::milliseconds patience = std::chrono::seconds(5));

// `text` with every ${env:NAME} replaced, or the contents of file:PATH without the last line end.
Result<std::string> resolve_text(std::string_view text, std::string_view folder);

}  // namespace weir::policy
