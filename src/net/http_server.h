// An HTTP listener: one address, an event loop a handler, each on a thread of its own.
//
//   auto server = HttpServer::open({.endpoint = e}, {&handler_a, &handler_b});
//   (*server)->start();
//   ...
//   (*server)->drain(std::chrono::seconds(10));
//
// With several loops the kernel spreads connections over them (SO_REUSEPORT); port 0 takes one free
// port for all. The port is bound and listening when `open` returns. Handlers outlive the server.
#pragma once

#include <atomic>
#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/endpoint.h"
#include "net/http_handler.h"
#include "net/http_loop.h"
#include "weir/result.h"

namespace weir::net {

struct HttpServerOptions {
  Endpoint endpoint;
  std::string flag = "--listen";  // what changes the address, for messages
  ConnectionLimits limits;
};

class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> open(const HttpServerOptions& options,
                                                  const std::vector<HttpHandler*>& handlers);
  ~HttpServer();  // cuts what is still open
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void start();
  // Stops accepting, answers what has arrived, and returns when all is closed, at the deadline at
  // the latest. Once.
  void drain(std::chrono::milliseconds deadline);

  const Endpoint& endpoint() const { return endpoint_; }
  std::size_t loops() const { return loops_.size(); }
  const HttpStats& stats(std::size_t loop) const { return loops_[loop]->stats(); }
  std::size_t open_connections() const { return open_.load(std::memory_order_relaxed); }
  // Runs `task` on the thread of a loop.
  template <typename Task>
  void post(std::size_t loop, Task task) {
    boost::asio::post(loops_[loop]->context(), std::move(task));
  }

 private:
  HttpServer() = default;

  Endpoint endpoint_;
  std::atomic<std::size_t> open_{0};
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  std::vector<std::thread> threads_;
};

}  // namespace weir::net
