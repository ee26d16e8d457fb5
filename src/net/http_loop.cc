#include "net/http_loop.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <cstring>
#include <utility>

#include "net/http_connection.h"
#include "wire/http_response.h"

namespace weir::net {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Accepting fails for want of descriptors or memory: try again when some may have been freed.
constexpr milliseconds kAcceptPause{100};

Peer peer_of(const asio::ip::tcp::endpoint& endpoint) {
  const asio::ip::address address = endpoint.address();
  const asio::ip::address_v6 v6 =
      address.is_v4() ? asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4())
                      : address.to_v6();
  return {v6.to_bytes(), endpoint.port()};
}

milliseconds tick_for(const ConnectionLimits& limits) {
  const milliseconds least = std::min(
      {limits.idle_timeout, limits.request_timeout, limits.write_timeout, limits.linger_timeout});
  return std::clamp(least / 4, milliseconds(5), milliseconds(500));
}

}  // namespace

HttpLoop::HttpLoop(HttpHandler& handler, const ConnectionLimits& limits,
                   std::atomic<std::size_t>& open_connections)
    : handler_(handler),
      limits_(limits),
      open_connections_(open_connections),
      completions_(std::make_shared<Completions>(context_)),
      work_(context_.get_executor()),
      acceptor_(context_),
      accept_again_(context_),
      tick_timer_(context_),
      grace_timer_(context_),
      drain_timer_(context_),
      tick_every_(tick_for(limits)) {
  handler_.attach(completions_);
}

HttpLoop::~HttpLoop() { completions_->close(); }

void HttpLoop::run() {
  accept();
  context_.run();
}

void HttpLoop::accept() {
  acceptor_.async_accept([this](const error_code& ec, asio::ip::tcp::socket socket) {
    if (ec == asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (!ec) {
      admit(std::move(socket));
      return accept();
    }
    if (ec == asio::error::connection_aborted) return accept();
    accept_again_.expires_after(kAcceptPause);
    accept_again_.async_wait([this](const error_code& cancelled) {
      if (!cancelled && acceptor_.is_open()) accept();
    });
  });
}

void HttpLoop::admit(asio::ip::tcp::socket socket) {
  error_code ec;
  socket.non_blocking(true, ec);
  const asio::ip::tcp::endpoint remote = socket.remote_endpoint(ec);
  if (ec) return;  // gone already
  if (open_connections_.fetch_add(1, std::memory_order_relaxed) >= limits_.max_connections) {
    open_connections_.fetch_sub(1, std::memory_order_relaxed);
    return refuse(std::move(socket));
  }
  HttpStats::add(stats_.accepted);
  connections_.push_front(
      std::make_shared<HttpConnection>(*this, std::move(socket), peer_of(remote)));
  stats_.open.store(connections_.size(), std::memory_order_relaxed);
  connections_.front()->start(connections_.begin());
  if (!ticking_) {
    ticking_ = true;
    tick();
  }
}

// One write, then gone: a refused connection may not hold anything.
void HttpLoop::refuse(asio::ip::tcp::socket socket) {
  HttpStats::add(stats_.refused);
  HttpStats::add(stats_.by_status[503]);
  std::string out;
  wire::HttpResponse response(out, {.keep_alive = false, .date = date()});
  wire::write_problem(response, 503, "All connections of this listener are in use.");
  error_code ignored;
  socket.write_some(asio::buffer(out), ignored);
  socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  // What the other end has sent by now is read, so that closing does not reset the connection.
  char sink[4096];
  for (int i = 0; i < 4 && !ignored; ++i) socket.read_some(asio::buffer(sink), ignored);
}

void HttpLoop::remove(Connections::iterator at) {
  connections_.erase(at);
  open_connections_.fetch_sub(1, std::memory_order_relaxed);
  stats_.open.store(connections_.size(), std::memory_order_relaxed);
  stop_if_done();
}

// One timer for all connections: a deadline is seen at most a tick late.
void HttpLoop::tick() {
  tick_timer_.expires_after(tick_every_);
  tick_timer_.async_wait([this](const error_code& ec) {
    if (ec) return;
    const auto now = steady_clock::now();
    for (auto it = connections_.begin(); it != connections_.end();) {
      const auto connection = *it++;  // it may remove itself
      connection->check_deadline(now);
    }
    ticking_ = !connections_.empty();
    if (ticking_) tick();
  });
}

void HttpLoop::drain(steady_clock::time_point deadline) {
  asio::post(context_, [this, deadline] { start_drain(deadline); });
}

void HttpLoop::start_drain(steady_clock::time_point deadline) {
  if (draining_) return;
  // Connections that the kernel has completed are ours: closing the listener would reset them.
  error_code ec;
  while (acceptor_.is_open()) {
    asio::ip::tcp::socket socket(context_);
    acceptor_.accept(socket, ec);
    if (ec) break;
    admit(std::move(socket));
  }
  acceptor_.close(ec);
  accept_again_.cancel();
  draining_ = true;
  grace_timer_.expires_at(std::min(deadline, steady_clock::now() + limits_.drain_grace));
  grace_timer_.async_wait([this](const error_code& cancelled) {
    if (!cancelled) close_idle();
  });
  drain_timer_.expires_at(deadline);
  drain_timer_.async_wait([this](const error_code& cancelled) {
    if (cancelled) return;
    while (!connections_.empty()) {
      const auto connection = connections_.front();
      connection->close();
    }
  });
  stop_if_done();
}

void HttpLoop::close_idle() {
  closes_idle_ = true;
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto connection = *it++;  // it may remove itself
    connection->drain();
  }
}

void HttpLoop::stop_if_done() {
  if (!draining_ || !connections_.empty()) return;
  work_.reset();
  tick_timer_.cancel();
  grace_timer_.cancel();
  drain_timer_.cancel();
  context_.stop();
}

std::string_view HttpLoop::date() {
  const std::time_t now = std::time(nullptr);
  if (now == date_second_) return date_;
  date_second_ = now;
  std::tm utc{};
  gmtime_r(&now, &utc);
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char text[64];
  const int n = std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT",
                              kDays[utc.tm_wday], utc.tm_mday, kMonths[utc.tm_mon],
                              1900 + utc.tm_year, utc.tm_hour, utc.tm_min, utc.tm_sec);
  date_.assign(text, static_cast<std::size_t>(n));
  return date_;
}

}  // namespace weir::net
