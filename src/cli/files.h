// Reading and writing the files a command names.
#pragma once

#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::cli {

// The whole file, at most 64 MiB. Errors: io, with the operating system's words.
Result<std::string> read_file(const std::string& path);

// To `path`, or to standard output where it is empty; a newline is added where the text has none.
// Returns an exit code; says on stderr what went wrong.
int write_output(const std::string& path, std::string_view text);

// The exit code where a policy did not load: 2 for a file that cannot be read, 1 for a wrong one.
int exit_for_unloadable(const std::string& path);

// Standard input, to its end.
std::string read_stdin();

}  // namespace weir::cli
