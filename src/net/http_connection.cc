#include "net/http_connection.h"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <utility>

#include "wire/http_response.h"

namespace weir::net {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kReadSize = 4096;
constexpr std::size_t kMaxDiscarded = 1024 * 1024;

bool would_block(const error_code& ec) {
  return ec == asio::error::would_block || ec == asio::error::try_again;
}

}  // namespace

HttpConnection::HttpConnection(HttpLoop& loop, asio::ip::tcp::socket socket, const Peer& peer)
    : loop_(loop), socket_(std::move(socket)), peer_(peer), parser_(loop.limits().http) {}

void HttpConnection::start(HttpLoop::Connections::iterator self) {
  self_ = self;
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  set_deadline(Waiting::request);
  read();
}

void HttpConnection::set_deadline(Waiting waiting) {
  const ConnectionLimits& limits = loop_.limits();
  waiting_ = waiting;
  const auto wait = waiting == Waiting::idle      ? limits.idle_timeout
                    : waiting == Waiting::request ? limits.request_timeout
                    : waiting == Waiting::output  ? limits.write_timeout
                                                  : limits.linger_timeout;
  deadline_ = steady_clock::now() + wait;
}

void HttpConnection::check_deadline(TimePoint now) {
  if (closed_ || holding_ || now < deadline_) return;
  HttpStats::add(loop_.counters().timed_out);
  if (waiting_ != Waiting::request || parser_.idle()) return close();
  static constexpr wire::HttpError kTooSlow{408, "The request did not arrive in time."};
  answer_error(kTooSlow);
  flush();
}

void HttpConnection::read() {
  if (reading_ || closed_ || ended_) return;
  reading_ = true;
  const std::span<char> space = parser_.prepare(kReadSize);
  socket_.async_read_some(
      asio::buffer(space.data(), space.size()),
      [self = shared_from_this()](const error_code& ec, std::size_t n) { self->on_read(ec, n); });
}

void HttpConnection::on_read(const error_code& ec, std::size_t n) {
  reading_ = false;
  if (closed_) return;
  if (ec && ec != asio::error::eof) return close();
  ended_ = ec == asio::error::eof;
  if (waiting_ == Waiting::linger) {
    discarded_ += n;  // never committed: the bytes are dropped
    return ended_ || discarded_ > kMaxDiscarded ? close() : read();
  }
  if (waiting_ == Waiting::idle) set_deadline(Waiting::request);
  parser_.commit(n);
  process();
}

void HttpConnection::process() {
  stalled_ = false;
  bool more = true;
  while (more && !holding_ && !closing_) {
    switch (parser_.next()) {
      case wire::Http1Parser::Status::need_more:
        more = false;
        break;
      case wire::Http1Parser::Status::send_continue:
        out_ += wire::kContinue;
        break;
      case wire::Http1Parser::Status::request:
        more = answer(parser_.request());
        break;
      case wire::Http1Parser::Status::error:
        answer_error(parser_.error());
        break;
    }
  }
  flush();
}

bool HttpConnection::answer(const wire::HttpRequest& request) {
  const std::size_t from = out_.size();
  const wire::HttpReply reply{.head = request.method == "HEAD",
                              .http10 = request.version == 10,
                              .keep_alive = request.keep_alive && !loop_.draining(),
                              .date = loop_.date()};
  wire::HttpResponse response(out_, reply);
  const Handled handled = loop_.handler().handle(request, peer_, response);
  if (handled.later != nullptr) {
    wait_for(*handled.later, reply);
    return false;
  }
  return answered(response, from, handled.hold);
}

void HttpConnection::wait_for(Later& later, const wire::HttpReply& reply) {
  later.connection_ = shared_from_this();
  awaited_ = reply;
  holding_ = true;
}

void HttpConnection::complete(Later& later) {
  const std::size_t from = out_.size();
  awaited_.keep_alive = awaited_.keep_alive && !loop_.draining();
  awaited_.date = loop_.date();
  wire::HttpResponse response(out_, awaited_);
  const Duration hold_for = later.answer(response);
  if (closed_) return;  // it is known what was decided; nobody is there to be told
  holding_ = false;
  if (answered(response, from, hold_for)) {
    process();
  } else {
    flush();
  }
}

bool HttpConnection::answered(const wire::HttpResponse& response, std::size_t from,
                              Duration hold_for) {
  HttpStats::add(loop_.counters().by_status[response.status() % 600]);
  if (!response.keep_alive()) closing_ = true;
  set_deadline(Waiting::request);
  if (hold_for > Duration{}) hold(from, hold_for);
  // A client that sends but does not read what it asked for is not answered further.
  if (unsent() > loop_.limits().output_bytes) stalled_ = !send();
  return !stalled_ && !closed_;
}

void HttpConnection::answer_error(const wire::HttpError& error) {
  wire::HttpResponse response(out_, {.keep_alive = false, .date = loop_.date()});
  wire::write_problem(response, error.status, error.detail);
  HttpStats::add(loop_.counters().by_status[error.status % 600]);
  closing_ = true;
}

void HttpConnection::hold(std::size_t from, Duration time) {
  held_.assign(out_, from);
  out_.resize(from);
  holding_ = true;
  if (!hold_timer_) hold_timer_ = std::make_unique<asio::steady_timer>(loop_.context());
  hold_timer_->expires_after(time.to_chrono());
  hold_timer_->async_wait([self = shared_from_this()](const error_code& ec) {
    if (ec || self->closed_) return;
    self->holding_ = false;
    self->out_ += self->held_;
    self->held_.clear();
    self->set_deadline(Waiting::request);
    self->process();
  });
}

void HttpConnection::flush() {
  if (send()) finish_output();
}

bool HttpConnection::send() {
  if (writing_ || closed_) return false;
  while (unsent() > 0) {
    error_code ec;
    const std::size_t n = socket_.write_some(asio::buffer(out_.data() + sent_, unsent()), ec);
    if (would_block(ec)) {
      writing_ = true;
      set_deadline(Waiting::output);
      socket_.async_wait(asio::ip::tcp::socket::wait_write,
                         [self = shared_from_this()](const error_code& failed) {
                           self->writing_ = false;
                           if (failed) return self->close();
                           self->flush();
                         });
      return false;
    }
    if (ec) {
      close();
      return false;
    }
    sent_ += n;
  }
  out_.clear();
  sent_ = 0;
  return true;
}

// All that could be sent is sent.
void HttpConnection::finish_output() {
  if (holding_) return;
  if (closing_) return linger();
  if (stalled_) {
    // Not from within this write's own completion chain: a fast reader would grow the stack.
    stalled_ = false;
    asio::post(loop_.context(), [self = shared_from_this()] {
      if (!self->closed_) self->process();
    });
    return;
  }
  if (ended_) return close();
  if (loop_.closes_idle() && parser_.idle()) return drain();
  if (waiting_ != Waiting::request || parser_.idle()) {
    set_deadline(parser_.idle() ? Waiting::idle : Waiting::request);
  }
  read();
}

// Says that no more comes, then waits for the other end to close: closing with unread bytes would
// reset the connection and could take the last answer with it.
void HttpConnection::linger() {
  if (ended_) return close();
  error_code ec;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  if (ec) return close();
  set_deadline(Waiting::linger);
  read();
}

void HttpConnection::drain() {
  if (closed_ || closing_ || holding_ || writing_ || !parser_.idle()) return;
  // A request that has arrived but was not read yet is still answered.
  char byte = 0;
  if (::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return read();
  close();
}

void HttpConnection::close() {
  if (closed_) return;
  closed_ = true;
  const auto keep = shared_from_this();
  error_code ignored;
  socket_.close(ignored);
  if (hold_timer_) hold_timer_->cancel();
  loop_.remove(self_);
}

}  // namespace weir::net
