// The bytes of a log file, unpacked where they are gzip (of any number of members) or zstd (of any
// number of frames): by what the file begins with, whatever its name.
//
//   auto source = traffic::open_source("access.log.2.gz");     // "-" is standard input
//   while (auto n = (*source)->read(buffer)) { if (*n == 0) break; ... }
//
// For one thread. Errors name the file and say what is wrong with it; what was read before stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weir/result.h"

namespace weir::traffic {

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // At least one byte; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // Bytes of the file itself that were read so far, for progress.
  virtual std::uint64_t position() const = 0;
};

Result<std::unique_ptr<Source>> open_source(const std::string& path);

// What `packed` holds; `path` is for messages.
std::unique_ptr<Source> unpack_gzip(std::unique_ptr<Source> packed, std::string path);
std::unique_ptr<Source> unpack_zstd(std::unique_ptr<Source> packed, std::string path);

}  // namespace weir::traffic
