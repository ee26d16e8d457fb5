// The chunked transfer coding, undone piece by piece.
//
//   ChunkedDecoder chunks(limits);
//   while (chunks.decode(bytes, used, body) == ChunkedDecoder::Status::need_more) ...
//
// Strict: sizes of at most eight hex digits, CR LF everywhere, extensions and trailers checked for
// form and dropped. Appends the body to `body`; allocates only while that string grows. Errors are
// final. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/http_error.h"

namespace weir::wire {

struct HttpLimits {
  std::size_t header_bytes = 16 * 1024;  // request line and fields, line ends included
  std::size_t body_bytes = 64 * 1024;    // after the chunked coding is undone
  std::size_t fields = 100;
};

class ChunkedDecoder {
 public:
  enum class Status { need_more, done, error };

  explicit ChunkedDecoder(const HttpLimits& limits = {}) : limits_(limits) {}

  // `used` is how many of `bytes` need not be given again.
  Status decode(std::string_view bytes, std::size_t& used, std::string& body);
  const HttpError& error() const { return error_; }

 private:
  enum class Part { size, data, data_end, trailer };

  Status take_line(std::string_view line, std::size_t body_size);
  Status fail(const HttpError& error);

  HttpLimits limits_;
  Part part_ = Part::size;
  std::size_t left_ = 0;  // of the chunk at hand
  std::size_t trailer_bytes_ = 0;
  HttpError error_;
};

}  // namespace weir::wire
