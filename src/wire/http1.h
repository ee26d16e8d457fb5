// HTTP/1.0 and 1.1 requests from bytes, without I/O: bytes in, whole requests out.
//
//   Http1Parser parser(limits);
//   std::span<char> space = parser.prepare(4096);   // read from the socket into it
//   parser.commit(n);
//   while (parser.next() == Http1Parser::Status::request) answer(parser.request());
//
// Boost.Beast's parser reads the head; this class closes its gaps. Refused: a bare LF, obs-fold,
// space before a colon, Content-Length with Transfer-Encoding, repeated or signed Content-Length,
// any transfer coding but a lone `chunked`, a missing (1.1) or repeated Host, a target that is not
// origin or absolute form (`*` for OPTIONS), CONNECT. Pipelining: requests come out in order.
//
// Ownership: the parser owns the bytes; a Request's views live until the next call of `next`,
// `prepare` or `commit`. Allocates only while its buffers grow. Not thread-safe. Errors are final.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/chunked.h"
#include "wire/http_error.h"
#include "wire/http_text.h"

namespace weir::wire {

struct HttpField {
  std::string_view name;   // as sent; never empty
  std::string_view value;  // without the white space around it
};

struct HttpRequest {
  std::string_view method;
  std::string_view target;  // origin form (an absolute form's scheme and authority are cut), or `*`
  int version = 11;         // 10 or 11
  std::span<const HttpField> fields;  // trailers left out
  std::string_view body;
  bool keep_alive = true;
};

class Http1Parser {
 public:
  enum class Status {
    need_more,
    send_continue,  // once: the client waits for `100 Continue` before it sends the body
    request,
    error,
  };

  explicit Http1Parser(const HttpLimits& limits = {}) : limits_(limits) {}

  // Room for at least `n` more bytes; `commit` says how many were written.
  std::span<char> prepare(std::size_t n);
  void commit(std::size_t n) { end_ += n; }

  // Drops the request returned before, and looks for the next one.
  Status next();

  const HttpRequest& request() const { return request_; }
  const HttpError& error() const { return error_; }
  // Nothing of a further request has arrived.
  bool idle() const { return begin_ + used_ == end_ && state_ == State::head; }

 private:
  enum class State { head, sized_body, chunked_body, failed };

  // A field by its place in the buffer, which may move while a body arrives.
  struct Place {
    std::uint32_t name_at, name_size, value_at, value_size;
  };
  class Head;

  Status fail(std::uint16_t status, std::string_view detail);
  Status fail(const HttpError& error) { return fail(error.status, error.detail); }
  Status find_head();
  Status read_head(std::size_t size);
  Status read_sized_body();
  Status read_chunked_body();
  Status complete(std::string_view body, std::size_t used);
  bool cut_target();
  std::string_view at(std::size_t offset, std::size_t size) const {
    return {buffer_.data() + begin_ + offset, size};
  }

  HttpLimits limits_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the request at hand
  std::size_t end_ = 0;      // of the bytes received
  std::size_t used_ = 0;     // bytes of the request handed out: dropped by the next `next`
  std::size_t scanned_ = 0;  // head bytes already searched for its end, from begin_
  std::size_t lines_ = 0;    // line ends among them

  State state_ = State::head;
  bool skipped_line_ = false;
  bool waits_for_continue_ = false;
  std::size_t head_size_ = 0;
  std::size_t body_size_ = 0;
  std::uint32_t method_size_ = 0, target_at_ = 0, target_size_ = 0;
  std::vector<Place> places_;

  ChunkedDecoder chunks_;
  std::size_t chunked_used_ = 0;  // bytes behind the head that are decoded already
  std::string body_;

  std::vector<HttpField> fields_;
  HttpRequest request_;
  HttpError error_;
};

// The fields of one name, in any case.
struct FieldLookup {
  std::size_t count = 0;
  std::string_view value;  // of the first
};
FieldLookup find_field(std::span<const HttpField> fields, std::string_view name);

}  // namespace weir::wire
