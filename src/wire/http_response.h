// Writes HTTP/1.1 answers into a buffer that is used again and again.
//
//   HttpResponse response(out, request, keep_alive, date);
//   response.start(429);
//   response.field("Retry-After", "30");
//   response.finish("application/problem+json", body);
//
// Appends to `out` only, so it allocates only while that buffer grows. `finish` writes
// Content-Length, Connection and Date; for HEAD the body is left out, its length is not. Field
// values must not hold CR or LF: such a byte is written as a space. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::wire {

// "Too Many Requests"; "Unknown" for a status without a registered phrase.
std::string_view reason_phrase(std::uint16_t status);

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

struct HttpReply {
  bool head = false;    // the request was HEAD
  bool http10 = false;  // the request was HTTP/1.0: keep-alive must be said
  bool keep_alive = true;
  std::string_view date = {};  // "Mon, 30 Nov 2026 15:31:31 GMT", or empty: no Date
};

class HttpResponse {
 public:
  HttpResponse(std::string& out, const HttpReply& reply) : out_(out), reply_(reply) {}

  void start(std::uint16_t status);
  void field(std::string_view name, std::string_view value);
  void field(std::string_view name, std::uint64_t value);
  // `content_type` empty: none.
  void finish(std::string_view content_type, std::string_view body);

  // The connection is closed after this answer.
  void close() { reply_.keep_alive = false; }
  bool keep_alive() const { return reply_.keep_alive; }
  std::uint16_t status() const { return status_; }

 private:
  std::string& out_;
  HttpReply reply_;
  std::uint16_t status_ = 0;
};

// A whole RFC 9457 answer. `detail` is for people; `field` (empty: none) names what is wrong.
void write_problem(HttpResponse& response, std::uint16_t status, std::string_view detail,
                   std::string_view field = {});
// The document alone, appended to `out`.
void append_problem(std::string& out, std::uint16_t status, std::string_view detail,
                    std::string_view field = {});

}  // namespace weir::wire
