// The endpoints: from a parsed request to its written answer. One Service a loop.
//
// What each endpoint reads and answers is in docs/serve.md. A decision on `/v1/auth*` reads the
// clock once and, where the store answers at once, allocates nothing once the buffers have grown;
// where it does not, the answer comes later (later.h) and nothing here waits for it. Not
// thread-safe: its loop's thread only. What it is given outlives it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "answer/answer.h"
#include "answer/view.h"
#include "decide/engine.h"
#include "identity/facts.h"
#include "net/http_handler.h"
#include "serve/check_request.h"
#include "serve/decision_log.h"
#include "serve/gateway_mistakes.h"
#include "serve/metrics.h"
#include "serve/route.h"
#include "weir/clock.h"

namespace weir::serve {

struct ServiceParts {
  decide::Engine& engine;
  Clock& clock;
  Metrics& metrics;
  const std::atomic<bool>& stopping;
  DecisionLog* log = nullptr;  // null: none
  bool log_all = false;        // every decision, not the policy's sample
  bool admin = false;          // the admin listener: no decisions
};

class UsageQuery;

// A decision and what is left of its request.
struct Decided {
  Endpoint endpoint;
  const decide::Snapshot& snapshot;
  const decide::Decision& decision;
  const identity::Facts& facts;  // what the decision log reads
  std::chrono::steady_clock::time_point begin;
};

class Service final : public net::HttpHandler {
 public:
  explicit Service(const ServiceParts& parts);

  void attach(const std::shared_ptr<net::Completions>& completions) override {
    completions_ = completions;
  }
  net::Handled handle(const wire::HttpRequest& request, const net::Peer& peer,
                      wire::HttpResponse& response) override;

  // Writes what was decided, at once or later; counts and logs it. How long to hold the answer.
  Duration answer(const Decided& decided, wire::HttpResponse& response);
  void answer(const UsageQuery& query, wire::HttpResponse& response);

 private:
  net::Handled auth(const wire::HttpRequest& request, const Route& route,
                    wire::HttpResponse& response);
  net::Handled check(const wire::HttpRequest& request, wire::HttpResponse& response);
  net::Handled usage(const wire::HttpRequest& request, wire::HttpResponse& response);
  void health(Endpoint endpoint, wire::HttpResponse& response);

  net::Handled decide(Endpoint endpoint, const identity::Facts& facts,
                      wire::HttpResponse& response);
  net::Handled decide_later(Endpoint endpoint, const identity::Facts& facts,
                            std::chrono::steady_clock::time_point begin);
  bool may_log(const decide::Snapshot& snapshot) const;
  void log(const Decided& decided);
  bool may_ask() const;
  identity::Facts facts_of(const wire::HttpRequest& request);
  void write_decision(Endpoint endpoint, bool admit, wire::HttpResponse& response);
  void write_verdict(const Decided& decided, wire::HttpResponse& response);
  void gateway_mistake(Endpoint endpoint, GatewayMistake kind, std::string_view field,
                       std::string_view detail, wire::HttpResponse& response);

  ServiceParts parts_;
  const bool immediate_;  // what the engine is
  std::shared_ptr<net::Completions> completions_;
  decide::SnapshotCache snapshots_;
  ThreadMetrics& counters_;
  const decide::Snapshot* snapshot_ = nullptr;  // of the request at hand
  policy::Address peer_;
  std::vector<identity::Field> fields_;
  decide::Decision decision_;
  answer::View view_;
  answer::Answer answer_;
  CheckParser check_parser_;
  CheckRequest check_request_;
  std::string body_;
  std::uint64_t sampled_ = 0;
};

}  // namespace weir::serve
