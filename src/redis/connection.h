// One socket to a Redis: connects, greets, sends batches, hands their verdicts out.
//
//   auto connection = std::make_shared<Connection>(context, settings, owner);
//   connection->start();
//   if (connection->can_send()) connection->send(queue);
//
// On the owner's thread only; kept alive by its pending operations. Over once: `on_ended` is its
// last call, after every request in flight was given to `on_failed`. A connection whose reply is
// overdue is *stalled*: it gets no further requests until one arrives, so a server that stands
// still holds at most what was sent within one deadline; after kStallLimit it is closed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "redis/batch.h"
#include "redis/error.h"
#include "redis/options.h"
#include "redis/session.h"
#include "redis/transport.h"
#include "redis/waiting.h"
#include "wire/resp.h"

namespace weir::redis {

// The requests of one command.
struct Flight {
  Batch batch;
  std::vector<Waiting*> waiting;  // none: given up at the deadline of the first
  Session::Ticket ticket = 0;
  std::uint64_t write = 0;  // the number of the write that carries it
  bool reset = false;       // one DEL in place of a batch
  bool asking = false;      // with ASKING before it
};

// What every connection of a store shares; outlives them.
struct ConnectionSettings {
  Login login;
  std::unique_ptr<boost::asio::ssl::context> tls;  // null: in the clear
  std::string prefix;
  bool given_time = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  class Owner {
   public:
    virtual void on_ready(Connection& c) = 0;
    virtual void on_free(Connection& c) = 0;  // can_send() is true again
    virtual void on_answered(Waiting& w, const Batch& batch, std::size_t request) = 0;
    virtual void on_reset(Waiting& w, bool found) = 0;
    // `text`: what the server said.
    virtual void on_failed(std::span<Waiting* const> batch, Failure failure,
                           std::string_view text) = 0;
    virtual void on_trouble(Failure failure, std::string_view text) = 0;
    virtual void on_probe(bool passed, Failure failure) = 0;
    virtual void on_late() = 0;  // a reply that nobody waits for
    virtual void on_sent(std::size_t batches) = 0;
    virtual void on_resent() = 0;
    virtual void on_read() = 0;  // all that came with one read has been handed out
    virtual void on_ended(Connection& c, Failure failure, std::string_view text) = 0;

   protected:
    ~Owner() = default;
  };

  static constexpr std::chrono::milliseconds kConnectLimit{2'000};
  static constexpr std::chrono::milliseconds kStallLimit{1'000};
  // One write has at least so many requests, if they wait, or so many commands.
  static constexpr std::size_t kFlightsAWrite = 16;
  static constexpr std::size_t kRequestsAWrite = 256;
  // How far down the queue others of the same slot are looked for.
  static constexpr std::size_t kLookAhead = 256;
  // Between the first and the last deadline of one batch: it fails as a whole.
  static constexpr Duration kSpread = milliseconds(2);

  Connection(boost::asio::io_context& context, const ConnectionSettings& settings,
             const Address& address, Owner& owner);

  void start();
  bool ready() const { return session_.ready() && !ended_; }
  bool can_send() const { return ready() && !writing_ && !stalled_; }
  bool can_probe() const { return ready() && !writing_; }
  bool stalled() const { return stalled_; }
  std::size_t in_flight() const { return session_.awaited(); }

  // Takes from the front of `queue`, all in one write.
  void send(std::deque<Waiting*>& queue);
  void probe();
  // The deadline of one of its requests has come: all of it fails. (Later the numbers that the
  // requests point to may be gone, and the reply could not be read without them.)
  void give_up(Flight& flight);
  void end(Failure failure, std::string_view text);

 private:
  using Action = Session::Action;

  void connected(Failure failure, const Transport::ErrorCode& ec);
  void read();
  void on_read(const Transport::ErrorCode& ec, std::size_t n);
  void write();
  void on_write(const Transport::ErrorCode& ec);
  Failure failure_of(const Transport::ErrorCode& ec) const;
  bool handle(const Action& action);
  void deliver(Session::Ticket ticket, const wire::RespValue& reply);
  void deliver_reset(Flight& flight, const wire::RespValue& reply);
  void fail(Session::Ticket ticket, Failure failure, std::string_view text);
  void resend(Session::Ticket ticket);
  void stall();
  void resume();

  Flight& new_flight();
  void fill(Flight& flight, std::deque<Waiting*>& queue);
  bool fits(const Waiting& w, const Waiting& first, const Flight& flight) const;
  void seat(Flight& flight, Waiting& w);
  void append(Flight& flight);
  void append_reset(const Waiting& w);
  void free_flight(Flight& flight);

  const ConnectionSettings& settings_;
  const Address address_;
  Owner& owner_;
  boost::asio::io_context& context_;
  Transport transport_;
  Session session_;
  wire::RespParser parser_;
  boost::asio::steady_timer limit_;  // of the greeting, then of a stall
  std::string out_;                  // to be written next
  std::string writing_out_;
  std::uint64_t write_ = 1;    // the number of the write that `out_` becomes
  std::uint64_t written_ = 0;  // of the latest that is done
  bool writing_ = false;
  bool stalled_ = false;
  bool ended_ = false;
  std::deque<Flight> flights_;  // by ticket
  std::vector<Session::Ticket> free_;
};

}  // namespace weir::redis
