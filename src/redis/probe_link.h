// One connection to a Redis that blocks: a question, its answer, within a time.
//
//   ProbeLink link(url, std::move(tls), login);
//   if (auto trouble = link.connect(seconds(2))) ...
//   Answer answer = link.ask({"PING"}, seconds(2));
//
// After a failure of the connection (`lost()`) every answer is that failure. Not thread-safe.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "redis/error.h"
#include "redis/session.h"
#include "weir/clock.h"
#include "wire/resp.h"

namespace weir::redis {

struct Trouble {
  Failure failure = Failure::other_error;
  std::string text;  // what the server or the system said
};

struct Answer {
  wire::RespType type = wire::RespType::null;
  std::int64_t integer = 0;
  std::string text;
  std::vector<std::string> items;  // of an array or a map, as text
  std::optional<Trouble> trouble;  // an error reply, or the connection's end

  bool ok() const { return !trouble; }
};

class ProbeLink {
 public:
  // `tls` is null in the clear.
  ProbeLink(const Address& address, std::unique_ptr<boost::asio::ssl::context> tls, Login login);
  ~ProbeLink();
  ProbeLink(const ProbeLink&) = delete;

  std::optional<Trouble> connect(Duration limit);
  // Greets as the store does.
  std::optional<Trouble> greet(Duration limit);
  Answer ask(const std::vector<std::string_view>& words, Duration limit);
  // A whole command in the Redis protocol.
  Answer ask_bytes(std::string_view command, Duration limit);
  // `use` sees the whole reply, of which an Answer has only the first level.
  using Use = std::function<void(const wire::RespValue&)>;
  Answer ask_bytes(std::string_view command, Duration limit, const Use& use);
  bool lost() const { return end_.has_value(); }

 private:
  struct Wire;
  using Time = std::chrono::steady_clock::time_point;

  bool wait(const bool& done, Time end);
  std::optional<Trouble> write(std::string_view bytes, Time end);
  // The next reply, by the parser's view; null: `end_` says why.
  const wire::RespValue* read(Time end);
  Trouble close(Failure failure, std::string text);

  std::unique_ptr<Wire> wire_;
  Login login_;
  std::optional<Trouble> end_;
  bool greeted_ = false;
};

}  // namespace weir::redis
