// A real redis-server for a test: on a free port of 127.0.0.1, without persistence, killed with its
// owner (or with the test, should that die first).
//
//   RedisProcess server;                  // ready when the constructor returns
//   RedisClient client(server.port());
//   client.text({"PING"})                 // "PONG"
//
// Aborts the test process where there is no redis-server. Not thread-safe.
#pragma once

#include <hiredis/hiredis.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::redis::testing {

class RedisProcess {
 public:
  // `port` 0: a free one. `file`: of settings, for a Sentinel that wants to write it.
  explicit RedisProcess(const std::vector<std::string>& options = {}, int port = 0,
                        const std::string& file = {});
  ~RedisProcess() { kill(); }
  RedisProcess(const RedisProcess&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  void kill();
  // Kills it and starts it again, empty, on the same port.
  void restart();
  // A port that was free a moment ago, for a server that is not there yet.
  static int free_port();

 private:
  bool start();

  std::vector<std::string> options_;
  std::string file_;
  int port_ = 0;
  pid_t pid_ = -1;
};

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// One blocking connection.
class RedisClient {
 public:
  explicit RedisClient(int port);

  // Raw bytes of one command; then its reply, in order. Null: the connection is gone.
  void send(std::string_view bytes);
  void send(const std::vector<std::string_view>& words);
  Reply read();

  Reply command(const std::vector<std::string_view>& words);
  // The reply as text: of a string, a status or an error; an integer in digits; "" for nil.
  std::string text(const std::vector<std::string_view>& words);
  long long integer(const std::vector<std::string_view>& words);

  int socket() const { return context_->fd; }
  void close() { context_.reset(); }

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace weir::redis::testing
