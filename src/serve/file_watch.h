// Notices that files were changed or replaced.
//
//   FileWatch watch;
//   watch.reset({"policy.yaml", "keys.csv"});   // before they are read
//   if (watch.changed()) ...                     // every half second
//
// Looks at inode, size and times, so it works on any file system and through symbolic links that
// are moved. A file that is still being written is not read: a change counts once two looks in turn
// saw the same. Not thread-safe; a look is a stat a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::serve {

class FileWatch {
 public:
  // The files as they are now are known from here on. True if any is not as it was known before.
  bool reset(std::vector<std::string> paths);
  // Whether any differs from what `reset` saw and is at rest. True again until the next `reset`.
  bool changed();

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  // device, inode, size, time of the contents, time of the inode; zeros where there is no file.
  using Signature = std::array<std::uint64_t, 5>;
  static Signature look(const std::string& path);
  std::vector<Signature> look() const;

  std::vector<std::string> paths_;
  std::vector<Signature> known_;
  std::vector<Signature> seen_;  // by the last look
};

}  // namespace weir::serve
