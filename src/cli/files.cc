#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>

#include "base/write_all.h"
#include "cli/command.h"

namespace weir::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

Error io_error(const std::string& path, std::string_view doing) {
  return {ErrorCode::io, std::string("cannot ") + std::string(doing) + ": " + std::strerror(errno),
          path};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return io_error(path, "open");
  struct stat status {};
  if (::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    ::close(fd);
    return Error{ErrorCode::io, "is a pipe or a device, and is read more than once; save it first",
                 path};
  }
  std::string text;
  std::string chunk(1 << 16, '\0');
  while (true) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      Error error = io_error(path, "read");
      ::close(fd);
      return error;
    }
    if (n == 0) break;
    text.append(chunk, 0, static_cast<std::size_t>(n));
    if (text.size() > kMostBytes) {
      ::close(fd);
      return Error{ErrorCode::out_of_range, "is larger than 64 MiB", path};
    }
  }
  ::close(fd);
  return text;
}

int write_output(const std::string& path, std::string_view text) {
  std::string whole(text);
  if (whole.empty() || whole.back() != '\n') whole += '\n';
  const int fd = path.empty()
                     ? STDOUT_FILENO
                     : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool ok = fd >= 0;
  std::string_view rest = whole;
  if (ok) ok = base::write_all(fd, rest);
  if (fd >= 0 && !path.empty()) ok = ::close(fd) == 0 && ok;
  if (ok || (path.empty() && errno == EPIPE)) return kDone;  // the reader had seen enough
  std::cerr << "weir: " << io_error(path.empty() ? "standard output" : path, "write").text()
            << "\n";
  return kCouldNotStart;
}

int exit_for_unloadable(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0 ? kNo : kCouldNotStart;
}

std::string read_stdin() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

}  // namespace weir::cli
