#include "identity/edit_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/write_all.h"
#include "policy/files.h"

namespace weir::identity {

namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 30;

Error io_error(const std::string& path, const char* what) {
  return Error{ErrorCode::io, std::string(what) + ": " + std::strerror(errno), path};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

// The file that is meant, so that a link to it stays one even where the file is not there yet.
std::string behind_links(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(target, error); ++links) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;  // an absolute one replaces all
  }
  const auto canonical = std::filesystem::weakly_canonical(target, error);
  return error || canonical.empty() ? target.string() : canonical.string();
}

// The temporary file, gone again unless it was renamed. Always of the same name, which the lock
// makes safe: what a killed process left is the only one, and is removed.
class Temporary {
 public:
  explicit Temporary(const std::string& target) : name_(target + ".weir-new"), file_(make(name_)) {}
  ~Temporary() {
    if (file_.get() >= 0 && !renamed_) ::unlink(name_.c_str());
  }

  // nullopt: done.
  std::optional<Error> replace(const std::string& target, const struct stat* old,
                               std::string_view text) {
    if (file_.get() < 0) return io_error(target, "cannot write beside it");
    if (old != nullptr) {
      const bool same_owner = old->st_uid == ::geteuid() && old->st_gid == ::getegid();
      if (!same_owner && ::fchown(file_.get(), old->st_uid, old->st_gid) != 0) {
        return io_error(target, "cannot keep its owner");
      }
      if (::fchmod(file_.get(), old->st_mode & 07777) != 0) {
        return io_error(target, "cannot keep its mode");
      }
    }
    if (!base::write_all(file_.get(), text) || ::fsync(file_.get()) != 0) {
      return io_error(target, "cannot write");
    }
    if (::rename(name_.c_str(), target.c_str()) != 0) return io_error(target, "cannot replace");
    renamed_ = true;
    return std::nullopt;
  }

 private:
  // Its own file, never one that someone else put there, or that a link of that name is to.
  static int make(const std::string& name) {
    if (::unlink(name.c_str()) != 0 && errno != ENOENT) return -1;
    return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }

  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

}  // namespace

Result<void> edit_file(const std::string& path, const EditText& edit) {
  const std::string target = behind_links(path);
  const std::string folder = std::filesystem::path(target).parent_path().string();
  const std::string where = folder.empty() ? "." : folder;
  const Descriptor lock(::open(where.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.get() < 0) return io_error(where, "cannot open the folder");
  while (::flock(lock.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return io_error(where, "cannot lock the folder");
  }

  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) return io_error(path, "cannot be read");
  std::string old;
  if (exists) {
    const auto most = static_cast<std::size_t>(status.st_size);
    if (most > kMaxText) return Error{ErrorCode::out_of_range, "more than 1 GiB", path};
    Result<std::string> read = policy::read_file(target, most);
    if (!read) return read.error();
    old = std::move(*read);
  }
  const Result<std::string> text = edit(old);
  if (!text) return text.error();
  Temporary temporary(target);
  if (auto failed = temporary.replace(target, exists ? &status : nullptr, *text)) return *failed;
  if (::fsync(lock.get()) != 0) return io_error(where, "cannot sync the folder");
  return {};
}

}  // namespace weir::identity
