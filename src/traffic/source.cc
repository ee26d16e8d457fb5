#include "traffic/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace weir::traffic {
namespace {

constexpr std::size_t kHead = 4;

class FileSource final : public Source {
 public:
  FileSource(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FileSource() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }

  // Looks at the first bytes, which are read again by `read`.
  Result<std::string_view> head() {
    while (head_size_ < kHead) {
      const auto n = read_file({head_.data() + head_size_, kHead - head_size_});
      if (!n) return n.error();
      if (*n == 0) break;
      head_size_ += *n;
    }
    return std::string_view(head_.data(), head_size_);
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (head_at_ < head_size_) {
      const std::size_t n = std::min(into.size(), head_size_ - head_at_);
      std::copy_n(head_.data() + head_at_, n, into.data());
      head_at_ += n;
      return n;
    }
    return read_file(into);
  }
  std::uint64_t position() const override { return position_; }

 private:
  Result<std::size_t> read_file(std::span<char> into) {
    for (;;) {
      const ssize_t n = ::read(fd_, into.data(), into.size());
      if (n >= 0) {
        position_ += static_cast<std::uint64_t>(n);
        return static_cast<std::size_t>(n);
      }
      if (errno != EINTR) return Error{ErrorCode::io, std::strerror(errno), path_};
    }
  }

  int fd_;
  std::string path_;
  std::uint64_t position_ = 0;
  std::array<char, kHead> head_{};
  std::size_t head_size_ = 0;
  std::size_t head_at_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> open_source(const std::string& path) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{ErrorCode::io, std::strerror(errno), path};
  auto file = std::make_unique<FileSource>(fd, standard ? "standard input" : path);
  struct stat about = {};
  if (::fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
    return Error{ErrorCode::io, "is a directory; name its files, e.g. '" + path + "/*.log'", path};
  }
  const auto head = file->head();
  if (!head) return head.error();
  if (head->starts_with("\x1f\x8b")) return unpack_gzip(std::move(file), path);
  if (head->starts_with("\x28\xb5\x2f\xfd")) return unpack_zstd(std::move(file), path);
  if (head->starts_with("BZh") || head->starts_with("\xfd\x37zX")) {
    return Error{ErrorCode::unsupported,
                 "is packed by bzip2 or xz, which weir does not unpack; pipe it in: `xzcat FILE | "
                 "weir replay POLICY -`",
                 path};
  }
  return std::unique_ptr<Source>(std::move(file));
}

}  // namespace weir::traffic
