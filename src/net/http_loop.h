// An event loop of an HTTP listener: one thread, one acceptor, its connections, one handler.
//
// Everything but `drain` and the stats runs on the thread that calls `run`. Ownership: the
// handler outlives the loop. No system call is made between a request's read and its write.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <ctime>
#include <list>
#include <memory>
#include <string>

#include "net/http_handler.h"
#include "net/http_limits.h"

namespace weir::net {

class HttpConnection;

class HttpLoop {
 public:
  // `open_connections` is shared by all loops of a listener.
  HttpLoop(HttpHandler& handler, const ConnectionLimits& limits,
           std::atomic<std::size_t>& open_connections);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  boost::asio::io_context& context() { return context_; }
  void set_acceptor(boost::asio::ip::tcp::acceptor acceptor) { acceptor_ = std::move(acceptor); }

  // Until drained.
  void run();
  // From any thread: stops accepting, lets requests in flight finish, closes; what is left at the
  // deadline is cut.
  void drain(std::chrono::steady_clock::time_point deadline);

  const HttpStats& stats() const { return stats_; }

  // For the connections, on the loop's thread.
  HttpHandler& handler() { return handler_; }
  const ConnectionLimits& limits() const { return limits_; }
  HttpStats& counters() { return stats_; }
  bool draining() const { return draining_; }
  // The grace of a drain is over: a connection without a request is closed.
  bool closes_idle() const { return closes_idle_; }
  std::string_view date();  // of the current second, for the Date field

 private:
  friend class HttpConnection;
  using Connections = std::list<std::shared_ptr<HttpConnection>>;

  void accept();
  void admit(boost::asio::ip::tcp::socket socket);
  void refuse(boost::asio::ip::tcp::socket socket);
  void start_drain(std::chrono::steady_clock::time_point deadline);
  void close_idle();
  void remove(Connections::iterator at);
  void tick();
  void stop_if_done();

  HttpHandler& handler_;
  ConnectionLimits limits_;
  std::atomic<std::size_t>& open_connections_;
  HttpStats stats_;
  boost::asio::io_context context_{1};
  std::shared_ptr<Completions> completions_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer accept_again_;
  boost::asio::steady_timer tick_timer_;
  boost::asio::steady_timer grace_timer_;
  boost::asio::steady_timer drain_timer_;
  std::chrono::milliseconds tick_every_;
  bool ticking_ = false;
  bool draining_ = false;
  bool closes_idle_ = false;
  Connections connections_;
  std::time_t date_second_ = 0;
  std::string date_;
};

}  // namespace weir::net
