// The decision service in-process: both listeners, their loops, metrics, reload.
//
//   auto opened = Server::open(options, clock);
//   if (!opened.server) { print(opened.findings, opened.error); return 2; }
//   opened.server->start();
//   ... opened.server->port() ... opened.server->reload() ...
//   opened.server->stop();
//
// Listening begins with `open` (connections wait in the kernel), answering with `start`. The clock
// outlives the server and is read once a decision. `reload` may run beside `stop`, but not beside
// itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "decide/engine.h"
#include "net/http_server.h"
#include "policy/position.h"
#include "serve/decision_log.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "weir/clock.h"
#include "weir/result.h"

namespace weir::serve {

class Service;

class Server {
 public:
  struct Opened {
    std::unique_ptr<Server> server;  // null: see `findings` and `error`
    policy::Findings findings;
    std::optional<Error> error;
  };
  // Loads options.policy_file.
  static Opened open(const ServeOptions& options, Clock& clock);
  // With an engine that is loaded already.
  static Opened open(const ServeOptions& options, Clock& clock,
                     std::unique_ptr<decide::Engine> engine);
  ~Server();  // stops at once
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  // Reads the policy and accounts again. Where anything is wrong the old ones stay.
  decide::Engine::Reloaded reload();
  // Answers what is in flight, for at most options.drain.
  void stop();
  // Once a second: what is buffered reaches the disk.
  void flush();

  const net::Endpoint& endpoint() const { return decisions_->endpoint(); }
  const net::Endpoint& admin_endpoint() const { return admin_->endpoint(); }
  std::uint16_t port() const { return endpoint().port(); }
  std::uint16_t admin_port() const { return admin_endpoint().port(); }
  decide::Engine& engine() { return *engine_; }

 private:
  Server(const ServeOptions& options, Clock& clock, std::unique_ptr<decide::Engine> engine);
  std::optional<Error> open_log();
  std::optional<Error> listen();

  ServeOptions options_;
  Clock& clock_;
  std::unique_ptr<decide::Engine> engine_;
  std::vector<std::unique_ptr<DecisionLog>> logs_;  // one a loop; each on its loop's thread
  Metrics metrics_;
  std::atomic<bool> stopping_{false};
  std::vector<std::unique_ptr<Service>> services_;
  std::unique_ptr<Service> admin_service_;
  std::unique_ptr<net::HttpServer> decisions_;
  std::unique_ptr<net::HttpServer> admin_;
};

}  // namespace weir::serve
