#include "serve/file_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::serve {

namespace {

std::uint64_t nanoseconds(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

FileWatch::Signature FileWatch::look(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

std::vector<FileWatch::Signature> FileWatch::look() const {
  std::vector<Signature> now;
  std::transform(paths_.begin(), paths_.end(), std::back_inserter(now),
                 [](const std::string& path) { return look(path); });
  return now;
}

bool FileWatch::reset(std::vector<std::string> paths) {
  const std::vector<Signature> before = std::exchange(known_, {});
  const bool same_files = paths == paths_;
  paths_ = std::move(paths);
  known_ = seen_ = look();
  return !same_files || known_ != before;
}

bool FileWatch::changed() {
  std::vector<Signature> now = look();
  const bool at_rest = now == seen_;
  seen_ = std::move(now);
  return at_rest && seen_ != known_;
}

}  // namespace weir::serve
