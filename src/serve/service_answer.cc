// From what was decided to the bytes of the answer: the other half of Service.
#include <chrono>

#include "engine/view.h"
#include "serve/service.h"
#include "serve/usage.h"
#include "serve/verdict_json.h"

namespace weir::serve {

namespace {

// Spread evenly over decisions, without randomness: the n-th is in the sample when the whole part
// of n * share steps up.
bool in_sample(std::uint64_t n, std::uint32_t ppm) {
  return n * ppm / 1'000'000 != (n - 1) * ppm / 1'000'000;
}

}  // namespace

Duration Service::answer(const Decided& decided, wire::HttpResponse& response) {
  const decide::Decision& decision = decided.decision;
  engine::fill_view(view_, decided.snapshot, decision);
  answer::render(answer_, view_);
  const auto took =
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - decided.begin).count();
  counters_.count(decided.snapshot, decision, static_cast<std::uint64_t>(took));
  if (parts_.log != nullptr) log(decided);
  if (decided.endpoint == Endpoint::check) {
    write_verdict(decided, response);
    return {};
  }
  write_decision(decided.endpoint, decision.admit, response);
  return decision.admit ? decision.delay : Duration{};
}

bool Service::may_log(const decide::Snapshot& snapshot) const {
  const policy::Observe& observe = snapshot.policy->observe;
  return parts_.log != nullptr &&
         (parts_.log_all || observe.log_allowed_ppm > 0 || observe.log_denied_ppm > 0);
}

void Service::log(const Decided& decided) {
  const policy::Observe& observe = decided.snapshot.policy->observe;
  const std::uint32_t share =
      decided.decision.admit ? observe.log_allowed_ppm : observe.log_denied_ppm;
  if (!parts_.log_all && (share == 0 || !in_sample(++sampled_, share))) return;
  parts_.log->write(endpoint_name(decided.endpoint), decided.snapshot, decided.facts,
                    decided.decision, answer_);
}

void Service::write_decision(Endpoint endpoint, bool admit, wire::HttpResponse& response) {
  const bool denied = !admit;
  std::uint16_t status = answer_.status;
  if (denied && endpoint == Endpoint::auth_nginx) status = 403;  // what auth_request understands
  if (denied && endpoint == Endpoint::auth_envoy) status = 429;  // a 5xx is a failed service to it
  response.start(status);
  for (const answer::Header& header : answer_.headers) response.field(header.name, header.value);
  if (denied && endpoint == Endpoint::auth_nginx) {
    response.field("Weir-Status", std::uint64_t{answer_.status});
    response.field("Weir-Body", answer_.body);
  } else if (status != answer_.status) {
    response.field("Weir-Status", std::uint64_t{answer_.status});
  }
  response.finish({}, answer_.body);  // Content-Type is among the headers
}

void Service::write_verdict(const Decided& decided, wire::HttpResponse& response) {
  body_.clear();
  append_verdict(body_, decided.snapshot, decided.decision, answer_);
  response.start(200);
  response.field("Cache-Control", "no-store");
  response.finish("application/json", body_);
}

void Service::answer(const UsageQuery& query, wire::HttpResponse& response) {
  body_.clear();
  if (query.failed()) {
    wire::append_problem(body_, 503, "The store did not answer; nothing is known of the usage.");
  } else {
    query.write(body_);
  }
  response.start(query.failed() ? 503 : 200);
  response.field("Cache-Control", "no-store");
  if (query.failed()) {
    response.field("Weir-Degraded", "store");
    response.field("Retry-After", std::uint64_t{1});
  }
  response.finish(query.failed() ? "application/problem+json" : "application/json", body_);
}

}  // namespace weir::serve
