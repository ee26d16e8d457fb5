// Files and the environment, read for a policy.
#include "policy/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "policy/utf8.h"

namespace weir::policy {

namespace {

constexpr std::size_t kMaxSecret = 64 * 1024;
constexpr std::size_t kFirstRead = 16 * 1024;

Error io(const std::string& path, const std::string& what) {
  return {ErrorCode::io, "`" + printable(path) + "` " + what, {}};
}

// May be otherwise when it is tried again. A file that is removed and written anew is absent
// between.
bool may_pass(int error) {
  constexpr std::array kPassing{EMFILE, ENFILE, ENOMEM, ENOBUFS, EINTR,    EAGAIN,
                                ENOENT, ESTALE, EIO,    EBUSY,   ETIMEDOUT};
  return std::find(kPassing.begin(), kPassing.end(), error) != kPassing.end();
}

Error unreadable(const std::string& path) {
  const int why = errno;
  Error error = io(path, std::string("cannot be read: ") + std::strerror(why));
  if (may_pass(why)) error.code = ErrorCode::unavailable;
  return error;
}

// Half of it may be what was there before, or what is there already.
bool written_meanwhile(int fd, const struct stat& before) {
  struct stat after {};
  return ::fstat(fd, &after) != 0 || after.st_size != before.st_size ||
         after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
         after.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

using Waiting = std::chrono::steady_clock;

// A pipe has something to read, or has ended.
bool readable(int fd, Waiting::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Waiting::now());
    if (left.count() <= 0) return false;
    pollfd wanted{fd, POLLIN, 0};
    const int n = ::poll(&wanted, 1, static_cast<int>(left.count()));
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return false;
  }
}

}  // namespace

std::string resolve_path(std::string_view folder, std::string_view path) {
  if (folder.empty() || path.starts_with('/')) return std::string(path);
  return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(path);
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string() : std::string(path.substr(0, slash + 1));
}

Result<std::string> read_file(const std::string& path, std::size_t most,
                              std::chrono::milliseconds patience) {
  // Not blocking: to open a pipe that nobody writes must not stop a reload, or a stop, for ever.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return unreadable(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return unreadable(path);
  if (S_ISDIR(status.st_mode)) return io(path, "is a folder");
  const auto deadline = Waiting::now() + patience;
  std::string text;
  for (;;) {
    if (!S_ISREG(status.st_mode) && !readable(file.get(), deadline)) {
      return io(path, "is no regular file, and did not end within " +
                          std::to_string(patience.count()) + " ms");
    }
    const std::size_t size = text.size();
    text.resize(std::min(std::max(size * 2, kFirstRead), most + 1));
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return unreadable(path);
    if (text.size() > most) return io(path, "is larger than " + std::to_string(most) + " bytes");
    if (n != 0) continue;
    if (!S_ISREG(status.st_mode) || !written_meanwhile(file.get(), status)) return text;
    return Error{
        ErrorCode::unavailable, "`" + printable(path) + "` was written while it was read", {}};
  }
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
