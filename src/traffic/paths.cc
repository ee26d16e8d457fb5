// Which files are read, in which order.
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <tuple>

#include "traffic/reader.h"

namespace weir::traffic {
namespace {

// "access.log.12.gz": {"access.log", 12}. "access.log" is the newest, 0. Names that end in a date
// (access.log-20261130) sort by their text.
struct Rotation {
  std::string base;
  std::uint64_t age = 0;
};

Rotation rotation_of(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  const std::size_t dot = path.rfind('.');
  Rotation rotation{std::string(path), 0};
  if (dot == std::string_view::npos || dot + 1 == path.size() || path.size() - dot > 6) {
    return rotation;
  }
  const char* end = path.data() + path.size();
  std::uint64_t age = 0;
  const auto read = std::from_chars(path.data() + dot + 1, end, age);
  if (read.ec == std::errc() && read.ptr == end) return {std::string(path.substr(0, dot)), age};
  return rotation;
}

void oldest_first(std::vector<std::string>& files) {
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    const Rotation x = rotation_of(a);
    const Rotation y = rotation_of(b);
    return std::tie(x.base, y.age, a) < std::tie(y.base, x.age, b);
  });
}

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

}  // namespace

Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    struct stat about = {};
    if (path == "-" || ::stat(path.c_str(), &about) == 0) {
      files.push_back(path);
      continue;
    }
    if (!is_pattern(path)) return Error{ErrorCode::io, std::strerror(errno), path};
    glob_t found = {};
    const int result = ::glob(path.c_str(), 0, nullptr, &found);
    std::vector<std::string> matched(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (result != 0) return Error{ErrorCode::not_found, "no file matches this pattern", path};
    oldest_first(matched);
    files.insert(files.end(), matched.begin(), matched.end());
  }
  return files;
}

}  // namespace weir::traffic
