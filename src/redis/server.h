// One Redis server: the requests that wait for it, its sockets, and its breaker.
//
//   auto server = std::make_shared<Server>(context, settings, options, address, owner);
//   server->start();
//   server->push(w);  server->flush();
//
// On the store's thread only. A flush writes what waits to the connection with the fewest commands
// in flight. What cannot be written any more (no connection is up or on its way, the breaker is
// open) comes back by `on_unsent`. Kept alive by its pending operations; `stop` is the last call.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string_view>

#include "redis/address.h"
#include "redis/backoff.h"
#include "redis/breaker.h"
#include "redis/connection.h"
#include "redis/health.h"
#include "redis/options.h"

namespace weir::redis {

// The machine's clock for deadlines; never that of a decision.
Instant steady_now();
std::chrono::steady_clock::time_point time_point(Instant t);

class Server final : public std::enable_shared_from_this<Server>, private Connection::Owner {
 public:
  class Owner {
   public:
    virtual void on_answered(Waiting& w, const Batch& batch, std::size_t request) = 0;
    virtual void on_reset(Waiting& w, bool found) = 0;
    // Nothing of the batch ran, and it has gone on from here: true. `text`: what the server said.
    virtual bool on_redirect(Server& server, std::span<Waiting* const> batch, Failure failure,
                             std::string_view text) = 0;
    virtual void on_failed(std::span<Waiting* const> batch, Failure failure) = 0;
    virtual void on_unsent(Waiting& w, Failure failure) = 0;
    // Connections or the breaker are not as they were; or a turn of this server is over.
    virtual void on_change() = 0;
    virtual void on_turn() = 0;
    virtual void on_ended(Failure failure) = 0;

   protected:
    ~Owner() = default;
  };

  // Everything but the address outlives it.
  Server(boost::asio::io_context& context, const ConnectionSettings& settings,
         const Options& options, const Address& address, HealthCounters& counters, Owner& owner);

  void start();
  void stop();

  const Address& address() const { return address_; }
  void push(Waiting& w);
  void flush();
  // Takes back what has not been written.
  void remove(Waiting& w);
  std::deque<Waiting*> take_queue();
  // Why a request would fail at once; nothing: it may be pushed.
  std::optional<Failure> refuses() const;

  unsigned connected() const;
  Breaker::State breaker() const { return breaker_.state(); }
  void count_failure(Failure failure) { failed_once(failure); }
  bool idle() const { return queue_.empty() && in_flight() == 0; }

 private:
  using ErrorCode = boost::system::error_code;

  // A socket's place: at most one connection at a time, and the pause before the next.
  struct Line {
    explicit Line(boost::asio::io_context& context) : pause(context) {}
    std::shared_ptr<Connection> connection;  // null: pausing
    Backoff backoff;
    boost::asio::steady_timer pause;
  };

  void on_ready(Connection& c) override;
  void on_free(Connection& c) override;
  void on_answered(Waiting& w, const Batch& batch, std::size_t request) override;
  void on_reset(Waiting& w, bool found) override;
  void on_failed(std::span<Waiting* const> batch, Failure failure, std::string_view text) override;
  void on_trouble(Failure failure, std::string_view text) override;
  void on_probe(bool passed, Failure failure) override;
  void on_late() override { HealthCounters::add(counters_.late); }
  void on_sent(std::size_t batches) override { HealthCounters::add(counters_.batches, batches); }
  void on_resent() override { HealthCounters::add(counters_.resent); }
  void on_read() override;
  void on_ended(Connection& c, Failure failure, std::string_view text) override;

  Connection* freest();
  bool hopeful() const;
  std::size_t in_flight() const;
  void fail_queue(Failure failure);

  void connect(Line& line);
  void connect_later(Line& line);

  void failed_once(Failure failure);
  void passed();
  void arm_breaker();
  void try_probe();

  boost::asio::io_context& context_;
  const ConnectionSettings& settings_;
  const Options& options_;
  const Address address_;
  HealthCounters& counters_;
  Owner& owner_;
  boost::asio::steady_timer breaker_timer_;
  std::deque<Line> lines_;
  std::deque<Waiting*> queue_;  // not yet written
  Breaker breaker_;
  std::mt19937_64 random_;
  bool stopped_ = false;
};

}  // namespace weir::redis
