// One connection that asks where the counters are kept: of any node of a cluster, or of a Sentinel.
//
//   auto survey = std::make_shared<Survey>(context, settings, std::move(guide), owner);
//   survey->start();
//   survey->ask_soon(true);     // something is not as the last answer said: another may know more
//
// Asks again every guide.interval(), and every kTrouble while `on_found` says that not all is well;
// never sooner than kSoonest after the last time. Who does not answer within kLimit, or not
// usefully, is left for the next; after all of them, a pause that grows. On the store's thread
// only; kept alive by its pending operations; after `stop` it says nothing more.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "redis/backoff.h"
#include "redis/guide.h"
#include "redis/session.h"
#include "redis/transport.h"
#include "wire/resp.h"

namespace weir::redis {

class Survey : public std::enable_shared_from_this<Survey> {
 public:
  class Owner {
   public:
    // False: not all is well, ask again soon.
    virtual bool on_found(const Directory& directory) = 0;
    virtual void on_not_found(Failure failure, std::string_view why) = 0;

   protected:
    ~Owner() = default;
  };
  struct Settings {
    Login login;
    boost::asio::ssl::context* tls = nullptr;  // null: in the clear
  };

  static constexpr std::chrono::milliseconds kLimit{500};
  static constexpr std::chrono::milliseconds kSoonest{50};
  static constexpr std::chrono::milliseconds kTrouble{200};

  Survey(boost::asio::io_context& context, Settings settings, std::unique_ptr<Guide> guide,
         Owner& owner);

  void start() { ask(); }
  // `elsewhere`: of another than the last one.
  void ask_soon(bool elsewhere);
  void stop();

 private:
  // One attempt's connection.
  struct Link;
  using Time = std::chrono::steady_clock::time_point;

  void ask();
  void ask_at(Time t);
  void connected(const std::shared_ptr<Link>& link, Failure failure,
                 const Transport::ErrorCode& ec);
  void write(const std::shared_ptr<Link>& link);
  void read(const std::shared_ptr<Link>& link);
  void replied(const std::shared_ptr<Link>& link, const wire::RespValue& reply);
  void greeted(const std::shared_ptr<Link>& link, const Session::Action& action);
  void send_question(const std::shared_ptr<Link>& link);
  void answered(const wire::RespValue& reply);
  void failed(Failure failure, std::string_view why);
  void close();

  boost::asio::io_context& context_;
  Settings settings_;
  std::unique_ptr<Guide> guide_;
  Owner& owner_;
  boost::asio::steady_timer timer_;  // until the next question
  boost::asio::steady_timer limit_;  // of the one at hand
  std::shared_ptr<Link> link_;
  Backoff backoff_;
  std::mt19937_64 random_;
  Time asked_at_;
  std::size_t in_vain_ = 0;  // servers asked since the last useful answer
  bool asking_ = false;
  bool again_ = false;      // and again when this question is over
  bool elsewhere_ = false;  // not of the server that was asked last
  bool stopped_ = false;
};

}  // namespace weir::redis
