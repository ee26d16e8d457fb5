#include "redis/connection.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>

#include "redis/script.h"

namespace weir::redis {

namespace asio = boost::asio;
using wire::RespType;
using wire::RespValue;

namespace {

constexpr std::size_t kReadSize = 16 * 1024;

}  // namespace

Connection::Connection(asio::io_context& context, const ConnectionSettings& settings,
                       const Address& address, Owner& owner)
    : settings_(settings),
      address_(address),
      owner_(owner),
      context_(context),
      transport_(context, address_, settings.tls.get()),
      session_(settings.login, charge_script().text),
      limit_(context) {}

void Connection::start() {
  limit_.expires_after(kConnectLimit);
  limit_.async_wait([self = shared_from_this()](const Transport::ErrorCode& cancelled) {
    if (!cancelled && !self->session_.ready()) {
      self->end(Failure::unreachable, "no greeting within two seconds");
    }
  });
  transport_.connect([self = shared_from_this()](Failure failure, const Transport::ErrorCode& ec) {
    self->connected(failure, ec);
  });
}

void Connection::connected(Failure failure, const Transport::ErrorCode& ec) {
  if (ended_) return;
  if (ec) return end(failure, transport_.why(ec));
  session_.start(out_);
  read();
  write();
}

void Connection::read() {
  transport_.read(parser_.prepare(kReadSize),
                  [self = shared_from_this()](const Transport::ErrorCode& ec, std::size_t n) {
                    self->on_read(ec, n);
                  });
}

void Connection::on_read(const Transport::ErrorCode& ec, std::size_t n) {
  if (ended_) return;
  if (ec) {
    return end(failure_of(ec),
               ec == asio::error::eof ? "the server closed the connection" : ec.message());
  }
  parser_.commit(n);
  const bool could_send = can_send();
  for (;;) {
    const wire::RespParser::Status status = parser_.next();
    if (status == wire::RespParser::Status::need_more) break;
    if (status == wire::RespParser::Status::error) return end(Failure::protocol, parser_.error());
    resume();
    if (!handle(session_.replied(parser_.reply(), out_))) return;
  }
  write();
  read();
  if (!could_send && can_send()) owner_.on_free(*this);
  owner_.on_read();
}

// In TLS 1.3 a server that refuses the client's certificate says so after the handshake.
Failure Connection::failure_of(const Transport::ErrorCode& ec) const {
  if (session_.ready()) return Failure::lost;
  return ec.category() == asio::error::get_ssl_category() ? Failure::tls : Failure::unreachable;
}

// False: the connection is over.
bool Connection::handle(const Action& action) {
  const std::string_view text = action.reply == nullptr ? "" : action.reply->text;
  switch (action.kind) {
    case Session::Kind::none:
      break;
    case Session::Kind::ready:
      limit_.cancel();
      owner_.on_ready(*this);
      break;
    case Session::Kind::deliver:
      deliver(action.ticket, *action.reply);
      break;
    case Session::Kind::failed:
      fail(action.ticket, action.failure, text);
      if (reaction(action.failure).connection == OnConnection::close) end(action.failure, text);
      break;
    case Session::Kind::resend:
      resend(action.ticket);
      break;
    case Session::Kind::probe_passed:
    case Session::Kind::probe_failed:
      owner_.on_probe(action.kind == Session::Kind::probe_passed, action.failure);
      break;
    case Session::Kind::trouble:
      owner_.on_trouble(action.failure, text);
      break;
    case Session::Kind::close:
      end(action.failure, text);
      break;
  }
  return !ended_;
}

void Connection::write() {
  if (writing_ || ended_ || out_.empty()) return;
  writing_ = true;
  writing_out_.swap(out_);
  out_.clear();
  const std::uint64_t number = write_++;
  transport_.write(writing_out_, [self = shared_from_this(), number](const Transport::ErrorCode& ec,
                                                                     std::size_t) {
    self->written_ = number;
    self->on_write(ec);
  });
}

void Connection::on_write(const Transport::ErrorCode& ec) {
  writing_ = false;
  if (ended_) return;
  if (ec) return end(failure_of(ec), ec.message());
  write();
  if (can_send()) owner_.on_free(*this);
}

void Connection::send(std::deque<Waiting*>& queue) {
  std::size_t flights = 0;
  std::size_t requests = 0;
  while (!queue.empty() && (flights < kFlightsAWrite || requests < kRequestsAWrite)) {
    Flight& flight = new_flight();
    fill(flight, queue);
    requests += flight.waiting.size();
    append(flight);
    session_.sent(flight.ticket);
    ++flights;
  }
  owner_.on_sent(flights);
  write();
}

void Connection::probe() {
  session_.probe(out_);
  write();
}

// The session names no batch here that was given up.
void Connection::resend(Session::Ticket ticket) {
  append(flights_[ticket]);
  session_.sent_again(ticket);
  owner_.on_resent();
}

void Connection::deliver(Session::Ticket ticket, const RespValue& reply) {
  Flight& flight = flights_[ticket];
  if (flight.waiting.empty()) {
    owner_.on_late();
    return free_flight(flight);
  }
  if (flight.reset) return deliver_reset(flight, reply);
  if (reply.type != RespType::bulk_string || !flight.batch.read_reply(reply.text)) {
    fail(ticket, Failure::protocol, "a verdict that cannot be read");
    return end(Failure::protocol, "a verdict that cannot be read");
  }
  for (std::size_t i = 0; i < flight.waiting.size(); ++i) {
    owner_.on_answered(*flight.waiting[i], flight.batch, i);
  }
  free_flight(flight);
}

void Connection::deliver_reset(Flight& flight, const RespValue& reply) {
  if (reply.type != RespType::integer) {
    fail(flight.ticket, Failure::protocol, "DEL was answered by no number");
    return end(Failure::protocol, "DEL was answered by no number");
  }
  owner_.on_reset(*flight.waiting.front(), reply.integer > 0);
  free_flight(flight);
}

void Connection::fail(Session::Ticket ticket, Failure failure, std::string_view text) {
  Flight& flight = flights_[ticket];
  if (flight.waiting.empty()) owner_.on_late();
  owner_.on_failed(flight.waiting, failure, text);
  free_flight(flight);
}

void Connection::give_up(Flight& flight) {
  session_.abandon(flight.ticket);
  owner_.on_failed(flight.waiting, Failure::timeout, "");
  flight.waiting.clear();
  if (flight.write > written_) {
    // Not all of its bytes are with the system: they must not leave later. Unless the news that
    // they have left is on its way here.
    asio::post(context_, [self = shared_from_this(), number = flight.write] {
      if (number > self->written_) self->end(Failure::timeout, "the connection takes no bytes");
    });
  }
  stall();
}

void Connection::stall() {
  if (stalled_ || ended_) return;
  stalled_ = true;
  limit_.expires_after(kStallLimit);
  limit_.async_wait([self = shared_from_this()](const Transport::ErrorCode& cancelled) {
    if (!cancelled && self->stalled_) self->end(Failure::timeout, "no reply for a second");
  });
}

void Connection::resume() {
  if (!stalled_) return;
  stalled_ = false;
  limit_.cancel();
}

void Connection::end(Failure failure, std::string_view text) {
  if (ended_) return;
  ended_ = true;
  const auto self = shared_from_this();
  const std::string said(text);  // it may lie in the parser
  limit_.cancel();
  transport_.close();
  // Whatever ended it, nobody knows what became of these.
  const bool own = failure == Failure::protocol || failure == Failure::timeout;
  while (const auto ticket = session_.drop()) {
    owner_.on_failed(flights_[*ticket].waiting, own ? failure : Failure::lost, said);
  }
  owner_.on_ended(*this, failure, said);
}

}  // namespace weir::redis
