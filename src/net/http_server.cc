#include "net/http_server.h"

#include <utility>

namespace weir::net {

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpServerOptions& options,
                                                     const std::vector<HttpHandler*>& handlers) {
  std::unique_ptr<HttpServer> server(new HttpServer);
  server->endpoint_ = options.endpoint;
  const bool share = handlers.size() > 1;
  for (HttpHandler* handler : handlers) {
    server->loops_.push_back(std::make_unique<HttpLoop>(*handler, options.limits, server->open_));
  }
  if (share && options.endpoint.port() != 0) {
    // A port that is shared within this process could be shared with another one unnoticed.
    auto free = check_free(server->loops_[0]->context(), options.endpoint, options.flag);
    if (!free) return free.error();
  }
  for (const auto& loop : server->loops_) {
    auto acceptor = listen_on(loop->context(), server->endpoint_, share, options.flag);
    if (!acceptor) return acceptor.error();
    boost::system::error_code ec;
    server->endpoint_ = acceptor->local_endpoint(ec);  // the others join the port it was given
    if (ec) return Error{ErrorCode::io, "cannot read the address listened on: " + ec.message(), {}};
    loop->set_acceptor(std::move(*acceptor));
  }
  return server;
}

HttpServer::~HttpServer() { drain(std::chrono::milliseconds(0)); }

void HttpServer::start() {
  for (const auto& loop : loops_) {
    threads_.emplace_back([&loop = *loop] { loop.run(); });
  }
}

void HttpServer::drain(std::chrono::milliseconds deadline) {
  if (threads_.empty()) return;
  const auto at = std::chrono::steady_clock::now() + deadline;
  for (const auto& loop : loops_) loop->drain(at);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace weir::net
