// gzip and zstd, by zlib and libzstd.
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "traffic/source.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kPacked = std::size_t{256} << 10;

// What has been read of the packed file and not unpacked yet.
class Packed {
 public:
  explicit Packed(std::unique_ptr<Source> source) : source_(std::move(source)), bytes_(kPacked) {}

  // False: the file has ended.
  Result<bool> fill() {
    if (at_ < size_) return true;
    const auto n = source_->read(bytes_);
    if (!n) return n.error();
    at_ = 0;
    size_ = *n;
    return size_ > 0;
  }
  char* data() { return bytes_.data() + at_; }
  std::size_t size() const { return size_ - at_; }
  void took(std::size_t n) { at_ += n; }
  std::uint64_t position() const { return source_->position(); }

 private:
  std::unique_ptr<Source> source_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
};

Error damaged(const std::string& path, const char* format, const char* what) {
  return {ErrorCode::io, std::string("its ") + format + " data is damaged: " + what, path};
}

Error cut_short(const std::string& path, const char* format) {
  return {ErrorCode::io,
          std::string("its ") + format +
              " data ends in the middle: the file was cut short, or is "
              "still being written",
          path};
}

class Gzip final : public Source {
 public:
  Gzip(std::unique_ptr<Source> source, std::string path)
      : packed_(std::move(source)), path_(std::move(path)) {
    good_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK;  // 16: gzip, and no other
  }
  ~Gzip() override {
    if (good_) ::inflateEnd(&stream_);
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (!good_) return Error{ErrorCode::unavailable, "no memory to unpack it", path_};
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out == into.size()) {
      const auto more = packed_.fill();
      if (!more) return more.error();
      if (!*more) {
        if (in_member_) return cut_short(path_, "gzip");
        return std::size_t{0};
      }
      if (const auto done = step(); !done) return done.error();
      if (ended_) return std::size_t{0};
    }
    return into.size() - stream_.avail_out;
  }
  std::uint64_t position() const override { return packed_.position(); }

 private:
  Result<void> step() {
    // Members follow each other; zeros after the last are padding, which gzip(1) passes over too.
    if (!in_member_ && members_ > 0 && *packed_.data() == '\0') {
      ended_ = true;
      return {};
    }
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(packed_.size());
    in_member_ = true;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    packed_.took(packed_.size() - stream_.avail_in);
    if (result == Z_STREAM_END) {
      in_member_ = false;
      ++members_;
      ::inflateReset(&stream_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return damaged(path_, "gzip", stream_.msg != nullptr ? stream_.msg : "unknown");
    }
    return {};
  }

  Packed packed_;
  std::string path_;
  z_stream stream_{};
  std::uint64_t members_ = 0;
  bool good_ = false;
  bool in_member_ = false;
  bool ended_ = false;
};

class Zstd final : public Source {
 public:
  Zstd(std::unique_ptr<Source> source, std::string path)
      : packed_(std::move(source)), path_(std::move(path)), stream_(::ZSTD_createDStream()) {}
  ~Zstd() override { ::ZSTD_freeDStream(stream_); }

  Result<std::size_t> read(std::span<char> into) override {
    if (stream_ == nullptr) return Error{ErrorCode::unavailable, "no memory to unpack it", path_};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0) {
      const auto more = packed_.fill();
      if (!more) return more.error();
      // At the end of the file what is left in the window still has to come out.
      ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
      if (!*more && !in_frame_) return std::size_t{0};
      const std::size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
      packed_.took(in.pos);
      if (::ZSTD_isError(result) != 0) return damaged(path_, "zstd", ::ZSTD_getErrorName(result));
      in_frame_ = result != 0;
      if (!*more && out.pos == 0) return cut_short(path_, "zstd");
    }
    return out.pos;
  }
  std::uint64_t position() const override { return packed_.position(); }

 private:
  Packed packed_;
  std::string path_;
  ZSTD_DStream* stream_;
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Source> unpack_gzip(std::unique_ptr<Source> packed, std::string path) {
  return std::make_unique<Gzip>(std::move(packed), std::move(path));
}

std::unique_ptr<Source> unpack_zstd(std::unique_ptr<Source> packed, std::string path) {
  return std::make_unique<Zstd>(std::move(packed), std::move(path));
}

}  // namespace weir::traffic
