// A blocking HTTP/1.1 client for commands that ask a running weir.
//
//   Result<HttpReply> reply = post(*Url::parse("http://127.0.0.1:8080"), "/v1/check", body);
//
// Plain http only: the decision listener is internal. `post` has a connection of its own; five
// seconds a step.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::cli {

struct Url {
  std::string host;
  std::string port = "80";

  // "http://host[:port][/]"; a bare "host:port" too.
  static Result<Url> parse(std::string_view text);
};

struct HttpReply {
  unsigned status = 0;
  std::string body;
};

// One that stays open, for many requests in turn; opened again when the server has closed it. For
// one thread.
class HttpConnection {
 public:
  explicit HttpConnection(Url server);
  ~HttpConnection();
  Result<HttpReply> post(std::string_view target, std::string_view json);

 private:
  class Stream;
  Url server_;
  std::unique_ptr<Stream> stream_;  // none: not open
};

Result<HttpReply> post(const Url& server, std::string_view target, std::string_view json);

}  // namespace weir::cli
