// One HTTP connection: a socket and a codec. Requests are answered in order, one at a time.
//
// Slow clients: a request must be whole within `request_timeout` of its first byte, however its
// bytes trickle; an answer must make progress within `write_timeout`; reading stops while unsent
// answers exceed `output_bytes`. Lives as long as an operation of it is pending; on its loop's
// thread only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "net/http_handler.h"
#include "net/http_loop.h"
#include "net/later.h"
#include "wire/http1.h"
#include "wire/http_response.h"

namespace weir::net {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  HttpConnection(HttpLoop& loop, boost::asio::ip::tcp::socket socket, const Peer& peer);

  void start(HttpLoop::Connections::iterator self);
  void check_deadline(TimePoint now);
  // The listener goes away: closes unless a request has begun to arrive or is being answered.
  void drain();
  void close();
  // The answer that the connection waits for.
  void complete(Later& later);

 private:
  enum class Waiting { idle, request, output, linger };

  void read();
  void on_read(const boost::system::error_code& ec, std::size_t n);
  void process();
  // False: stop processing for now (held, closing, or too much output).
  bool answer(const wire::HttpRequest& request);
  void wait_for(Later& later, const wire::HttpReply& reply);
  // Counts an answer that begins at `from` and holds it back if asked; as `answer`.
  bool answered(const wire::HttpResponse& response, std::size_t from, Duration hold_for);
  void answer_error(const wire::HttpError& error);
  void hold(std::size_t from, Duration time);
  void flush();
  bool send();  // true: nothing is left to send
  void finish_output();
  void linger();
  void set_deadline(Waiting waiting);
  std::size_t unsent() const { return out_.size() - sent_; }

  HttpLoop& loop_;
  boost::asio::ip::tcp::socket socket_;
  Peer peer_;
  HttpLoop::Connections::iterator self_;
  wire::Http1Parser parser_;
  std::string out_;
  std::size_t sent_ = 0;
  std::string held_;         // the answer whose time has not come
  wire::HttpReply awaited_;  // of the answer that comes later
  std::unique_ptr<boost::asio::steady_timer> hold_timer_;
  Waiting waiting_ = Waiting::request;
  TimePoint deadline_;
  std::size_t discarded_ = 0;
  bool reading_ = false;
  bool writing_ = false;
  bool holding_ = false;  // an answer's time has not come, or it comes later
  bool stalled_ = false;  // parsing stopped because of unsent output
  bool closing_ = false;  // once the output is sent
  bool ended_ = false;    // the other end sends no more
  bool closed_ = false;
};

}  // namespace weir::net
