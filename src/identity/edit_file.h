// Changes a small file so that a reader sees the old text or the new, never a part.
//
//   edit_file(path, [](std::string_view old) -> Result<std::string> { return old + "x\n"; });
//
// Writers wait for each other (flock on the folder, so that a replaced file is no gap). The new
// text is written beside the file, synced and renamed over it, with the mode and owner of the old
// one; a new file is 0600. Symbolic links are followed. Where the function fails, nothing is
// touched. A process that is killed in the middle leaves FILE.weir-new, which the next edit
// removes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::identity {

using EditText = std::function<Result<std::string>(std::string_view old)>;

// A file that is not there is given to `edit` as empty text.
Result<void> edit_file(const std::string& path, const EditText& edit);

}  // namespace weir::identity
