// The endpoints: from a parsed request to its written answer. One Service a loop.
//
// What each endpoint reads and answers is in docs/serve.md. A decision on `/v1/auth*` allocates
// nothing once the buffers have grown, and reads the clock once. Not thread-safe: its loop's thread
// only. What it is given outlives it.
#pragma once

#include <atomic>
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

class Service final : public net::HttpHandler {
 public:
  explicit Service(const ServiceParts& parts);

  net::Handled handle(const wire::HttpRequest& request, const net::Peer& peer,
                      wire::HttpResponse& response) override;

 private:
  net::Handled auth(const wire::HttpRequest& request, const Route& route,
                    wire::HttpResponse& response);
  void check(const wire::HttpRequest& request, wire::HttpResponse& response);
  void usage(const wire::HttpRequest& request, wire::HttpResponse& response);
  void health(Endpoint endpoint, wire::HttpResponse& response);

  // Fills decision_ and answer_.
  void decide(std::string_view endpoint, const identity::Facts& facts);
  void log(std::string_view endpoint, const identity::Facts& facts);
  bool may_ask() const;
  identity::Facts facts_of(const wire::HttpRequest& request);
  void write_decision(Endpoint endpoint, wire::HttpResponse& response);
  void gateway_mistake(Endpoint endpoint, GatewayMistake kind, std::string_view field,
                       std::string_view detail, wire::HttpResponse& response);

  ServiceParts parts_;
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
