#include "serve/server.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "remote/open_store.h"
#include "serve/service.h"

namespace weir::serve {

namespace {

unsigned loops_for(const ServeOptions& options) {
  if (!options.decision_log.empty()) return 1;  // its lines are in the order of the decisions
  if (options.threads > 0) return options.threads;
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

Server::Server(const ServeOptions& options, Clock& clock, std::unique_ptr<decide::Engine> engine)
    : options_(options), clock_(clock), engine_(std::move(engine)), metrics_(*engine_) {}

Server::~Server() {
  options_.drain = std::chrono::milliseconds(0);
  stop();
}

Server::Opened Server::open(const ServeOptions& options, Clock& clock) {
  decide::Engine::Opened opened = decide::Engine::open(options.policy_file, remote::open_store);
  if (!opened.engine) return {nullptr, std::move(opened.findings), std::nullopt};
  Opened server = open(options, clock, std::move(opened.engine));
  server.findings = std::move(opened.findings);
  return server;
}

Server::Opened Server::open(const ServeOptions& options, Clock& clock,
                            std::unique_ptr<decide::Engine> engine) {
  std::unique_ptr<Server> server(new Server(options, clock, std::move(engine)));
  if (auto error = server->open_log()) return {nullptr, {}, std::move(error)};
  if (auto error = server->listen()) return {nullptr, {}, std::move(error)};
  return {std::move(server), {}, std::nullopt};
}

// With a file: one log of all decisions. Without: what the policy samples, on stderr.
std::optional<Error> Server::open_log() {
  if (options_.decision_log.empty()) {
    for (unsigned i = 0; i < loops_for(options_); ++i) {
      logs_.push_back(std::make_unique<DecisionLog>(::dup(STDERR_FILENO)));
    }
    return std::nullopt;
  }
  auto log = DecisionLog::open(options_.decision_log);
  if (!log) return log.error();
  logs_.push_back(std::move(*log));
  metrics_.count_log_errors(&logs_[0]->errors());
  return std::nullopt;
}

std::optional<Error> Server::listen() {
  const auto here = net::parse_endpoint(options_.listen);
  if (!here) return Error{here.error().code, "--listen: " + here.error().message, {}};
  const auto admin = net::parse_endpoint(options_.admin);
  if (!admin) return Error{admin.error().code, "--admin: " + admin.error().message, {}};

  std::vector<net::HttpHandler*> handlers;
  const bool log_all = !options_.decision_log.empty();
  for (const auto& log : logs_) {
    services_.push_back(std::make_unique<Service>(
        ServiceParts{*engine_, clock_, metrics_, stopping_, log.get(), log_all, false}));
    handlers.push_back(services_.back().get());
  }
  auto decisions = net::HttpServer::open({*here, "--listen", options_.limits}, handlers);
  if (!decisions) return decisions.error();
  decisions_ = std::move(*decisions);
  for (std::size_t i = 0; i < decisions_->loops(); ++i) {
    metrics_.add_listener("http", decisions_->stats(i));
  }
  admin_service_ = std::make_unique<Service>(
      ServiceParts{*engine_, clock_, metrics_, stopping_, nullptr, false, true});
  auto opened = net::HttpServer::open({*admin, "--admin", options_.limits}, {admin_service_.get()});
  if (!opened) return opened.error();
  admin_ = std::move(*opened);
  metrics_.add_listener("admin", admin_->stats(0));
  return std::nullopt;
}

void Server::start() {
  decisions_->start();
  admin_->start();
}

decide::Engine::Reloaded Server::reload() {
  decide::Engine::Reloaded reloaded = engine_->reload();
  metrics_.count_reload(reloaded.adopted);
  return reloaded;
}

void Server::stop() {
  if (stopping_.exchange(true)) return;
  if (decisions_) decisions_->drain(options_.drain);
  // Health and metrics answer until the last decision is made.
  if (admin_) admin_->drain(std::min(options_.drain, std::chrono::milliseconds(1000)));
  for (const auto& log : logs_) log->flush();
}

void Server::flush() {
  if (stopping_) return;
  for (std::size_t i = 0; i < logs_.size(); ++i) {
    decisions_->post(i, [log = logs_[i].get()] { log->flush(); });
  }
}

}  // namespace weir::serve
