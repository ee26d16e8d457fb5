// The store's own thread: what waits, the connections it travels on, and the times at which things
// end.
//
//   Loop loop(options, std::move(settings));
//   loop.start();
//   loop.inbox().charge(...) && loop.wake();   // any thread
//
// A turn takes all that has arrived and writes it to the connection with the fewest commands in
// flight. Whatever fails, each request is told so by its deadline; the requests of one store share
// one timeout, so the oldest is always the next to end, and one timer serves all. Destroying it
// fails what is left.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "redis/backoff.h"
#include "redis/breaker.h"
#include "redis/connection.h"
#include "redis/health.h"
#include "redis/inbox.h"
#include "redis/options.h"

namespace weir::redis {

// The machine's clock for deadlines; never that of a decision.
Instant steady_now();

class Loop final : private Connection::Owner {
 public:
  Loop(const Options& options, ConnectionSettings settings);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void start();
  Inbox& inbox() { return inbox_; }
  void wake();
  Health health() const;

 private:
  using ErrorCode = boost::system::error_code;

  // A socket's place: at most one connection at a time, and the pause before the next.
  struct Line {
    explicit Line(boost::asio::io_context& context) : pause(context) {}
    std::shared_ptr<Connection> connection;  // null: pausing
    Backoff backoff;
    boost::asio::steady_timer pause;
  };
  // Requests by age. A serial that is not its place's any more: answered.
  struct Age {
    Waiting* waiting = nullptr;
    std::uint64_t serial = 0;
    Instant deadline;
    bool lives() const { return waiting->serial.load(std::memory_order_relaxed) == serial; }
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
  void on_ended(Connection& c, Failure failure, std::string_view text) override;

  void turn();
  void refuse(const std::vector<Inbox::Refused>& refused);
  void accept(Waiting& w);
  void flush();
  Connection* freest();
  bool hopeful() const;
  void fail_queue(Failure failure);
  void fail(Waiting& w, Failure failure);
  void take_outcomes(std::span<const Outcome> outcomes);
  void finish(Waiting& w);
  void give_back();

  void arm_deadline();
  void expire();

  void connect(Line& line);
  void connect_later(Line& line);
  void count_connected();

  void failed_once(Failure failure);
  void passed();
  void arm_breaker();
  void try_probe();
  void stop();

  Options options_;
  ConnectionSettings settings_;
  Inbox inbox_;
  HealthCounters counters_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer breaker_timer_;
  std::deque<Line> lines_;
  std::deque<Waiting*> queue_;  // not yet written; oldest first
  std::deque<Age> ages_;
  std::vector<Waiting*> arrived_;
  std::vector<Inbox::Refused> refused_;
  std::vector<Waiting*> done_;
  std::vector<Outcome> outcomes_;
  Breaker breaker_;
  std::mt19937_64 random_;
  bool deadline_armed_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace weir::redis
