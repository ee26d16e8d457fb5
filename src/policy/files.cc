// Files and the environment, read for a policy.
#include "policy/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "policy/utf8.h"

namespace weir::policy {

namespace {

constexpr std::size_t kMaxSecret = 64 * 1024;

Error io(const std::string& path, const std::string& what) {
  return {ErrorCode::io, "`" + printable(path) + "` " + what, path};
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string resolve_path(std::string_view folder, std::string_view path) {
  if (folder.empty() || path.starts_with('/')) return std::string(path);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(path);
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : std::string(path.substr(0, slash + 1));
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return io(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(::fileno(file.get()), &status) == 0 && S_ISDIR(status.st_mode)) {
    return io(path, "is a folder");
  }
  std::string text(most + 1, '\0');
  const std::size_t size = std::fread(text.data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    return io(path, std::string("cannot be read: ") + std::strerror(errno));
  }
  if (size > most) return io(path, "is larger than " + std::to_string(most) + " bytes");
  text.resize(size);
  return text;
}

Result<std::string> resolve_text(std::string_view text, std::string_view folder) {
  if (text.starts_with("file:")) {
    Result<std::string> read = read_file(resolve_path(folder, text.substr(5)), kMaxSecret);
    if (!read) return read.error();
    std::string value = std::move(*read);
    if (value.ends_with('\n')) value.pop_back();
    if (value.ends_with('\r')) value.pop_back();
    return value;
  }
  std::string out;
  for (;;) {
    const std::size_t start = text.find("${env:");
    out += text.substr(0, start);
    if (start == text.npos) return out;
    const std::size_t end = text.find('}', start);
    if (end == text.npos) {
      return Error{ErrorCode::invalid_argument, "`${env:` without `}`", {}};
    }
    const std::string name(text.substr(start + 6, end - start - 6));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) {
      return Error{ErrorCode::not_found,
                   "the environment variable `" + printable(name) + "` is not set", name};
    }
    out += value;
    text.remove_prefix(end + 1);
  }
}

}  // namespace weir::policy
