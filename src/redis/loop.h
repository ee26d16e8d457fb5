// The store's own thread: what waits, the servers it is sent to, and the times at which things end.
//
//   Loop loop(options, std::move(settings), url);
//   loop.start();
//   loop.inbox().charge(...) && loop.wake();   // any thread
//
// A turn takes all that has arrived, gives it to the servers that keep its counters, and flushes
// them. Whatever fails, each request is told so by its deadline; the requests of one store share
// one timeout, so the oldest is always the next to end, and one timer serves all. What a server
// sends elsewhere goes there under the same deadline. Destroying it fails what is left.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "base/redis_url.h"
#include "redis/fleet.h"
#include "redis/health.h"
#include "redis/inbox.h"
#include "redis/options.h"
#include "redis/refunds.h"
#include "redis/server.h"
#include "redis/survey.h"

namespace weir::redis {

class Loop final : private Server::Owner, private Survey::Owner {
 public:
  Loop(const Options& options, ConnectionSettings settings, const base::RedisUrl& url);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void start();
  Inbox& inbox() { return inbox_; }
  void wake();
  Health health() const;

 private:
  using ErrorCode = boost::system::error_code;

  // Requests by age. A serial that is not its place's any more: answered.
  struct Age {
    Waiting* waiting = nullptr;
    std::uint64_t serial = 0;
    Instant deadline;
    explicit Age(Waiting& w)
        : waiting(&w), serial(w.serial.load(std::memory_order_relaxed)), deadline(w.deadline) {}
    bool lives() const { return waiting->serial.load(std::memory_order_relaxed) == serial; }
  };
  static constexpr unsigned kMostSentOn = 5;
  static constexpr std::chrono::milliseconds kMoment{2};  // when a server asks for one

  void on_answered(Waiting& w, const Batch& batch, std::size_t request) override;
  void on_reset(Waiting& w, bool found) override;
  bool on_redirect(Server& server, std::span<Waiting* const> batch, Failure failure,
                   std::string_view text) override;
  void on_failed(std::span<Waiting* const> batch, Failure failure) override;
  void on_unsent(Waiting& w, Failure failure) override { fail(w, failure); }
  void on_change() override;
  void on_turn() override;
  void on_ended(Failure failure) override;
  bool on_found(const Directory& directory) override;
  void on_not_found(Failure failure, std::string_view why) override;

  void survey();
  void turn();
  void refuse(const std::vector<Inbox::Refused>& refused);
  void accept(Waiting& w);
  void plan(Waiting& w);
  void route(Waiting& w);
  bool startable(Waiting& w);
  void wait_a_moment(Waiting& w);
  void go_on();

  void fail(Waiting& w, Failure failure);
  void told(Waiting& w);
  void give_back_charges(Waiting& w);
  void take_outcomes(std::span<const Outcome> outcomes);
  void finish(Waiting& w);

  void arm_deadline();
  void expire(std::deque<Age>& ages);
  void stop();

  const Options options_;
  const ConnectionSettings settings_;
  const base::RedisUrl url_;
  Inbox inbox_;
  HealthCounters counters_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer moment_timer_;
  Fleet fleet_;
  std::shared_ptr<Survey> survey_;  // null: one server, which the URL names
  std::deque<Age> ages_;
  std::deque<Age> refund_ages_;
  std::vector<Age> moments_;  // who waits for one
  Refunds refunds_;
  std::vector<Waiting*> arrived_;
  std::vector<Inbox::Refused> refused_;
  std::vector<Waiting*> done_;
  std::vector<Outcome> outcomes_;
  Instant armed_for_;
  bool deadline_armed_ = false;
  bool moment_armed_ = false;
  bool unflushed_ = false;
  bool flushing_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace weir::redis
