#include "serve/service.h"

#include <chrono>

#include "identity/address.h"
#include "policy/cidr.h"
#include "serve/later.h"

namespace weir::serve {

namespace {

using std::chrono::steady_clock;

// Where each forward-auth endpoint finds the original request. Nothing else is read for it.
struct Forwarded {
  std::string_view method_field;
  std::string_view target_field;
};

Forwarded forwarded_fields(Endpoint endpoint) {
  return endpoint == Endpoint::auth_nginx ? Forwarded{"X-Original-Method", "X-Original-URI"}
                                          : Forwarded{"X-Forwarded-Method", "X-Forwarded-Uri"};
}

bool needs_permission(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::auth:
    case Endpoint::auth_nginx:
    case Endpoint::auth_envoy:
    case Endpoint::check:
    case Endpoint::usage:
      return true;
    default:
      return false;
  }
}

identity::StageFilter filter_of(Stage stage) {
  switch (stage) {
    case Stage::pre:
      return identity::StageFilter::pre_auth;
    case Stage::post:
      return identity::StageFilter::post_auth;
    default:
      return identity::StageFilter::all;
  }
}

bool is_loopback(const policy::Address& address) {
  static const std::optional<policy::Cidr> kV4 = policy::Cidr::parse("127.0.0.0/8");
  static const std::optional<policy::Cidr> kV6 = policy::Cidr::parse("::1/128");
  return kV4->contains(address) || kV6->contains(address);
}

}  // namespace

Service::Service(const ServiceParts& parts)
    : parts_(parts),
      immediate_(parts.engine.immediate()),
      snapshots_(parts.engine),
      counters_(parts.metrics.add_thread()) {}

net::Handled Service::handle(const wire::HttpRequest& request, const net::Peer& peer,
                             wire::HttpResponse& response) {
  const Route route = find_route(request.target, parts_.admin);
  snapshot_ = &snapshots_.get();
  peer_ = policy::Address{peer.address};
  const std::string_view methods = allowed_methods(route.endpoint);
  const bool get = request.method == "GET" || request.method == "HEAD";
  if (!methods.empty() && !(methods == "POST" ? request.method == "POST" : get)) {
    body_.clear();
    wire::append_problem(body_, 405, "This path takes " + std::string(methods) + ".");
    response.start(405);
    response.field("Allow", methods);
    response.finish("application/problem+json", body_);
    return {};
  }
  if (needs_permission(route.endpoint) && !may_ask()) {
    parts_.metrics.mistakes().note(GatewayMistake::not_allowed,
                                   {endpoint_name(route.endpoint), {}, peer_}, parts_.clock.now());
    wire::write_problem(response, 403,
                        "This address may not ask for decisions; listeners.allow_from of the "
                        "policy says which may.");
    return {};
  }
  switch (route.endpoint) {
    case Endpoint::auth:
    case Endpoint::auth_nginx:
    case Endpoint::auth_envoy:
      return auth(request, route, response);
    case Endpoint::check:
      return check(request, response);
    case Endpoint::usage:
      return usage(request, response);
    case Endpoint::healthz:
    case Endpoint::readyz:
      health(route.endpoint, response);
      break;
    case Endpoint::metrics:
      response.start(200);
      response.finish("text/plain; version=0.0.4; charset=utf-8", parts_.metrics.text());
      break;
    case Endpoint::later:
      wire::write_problem(
          response, 404,
          "This path is not in this version of weir. " + std::string(existing_paths(parts_.admin)));
      break;
    case Endpoint::other_listener:
      wire::write_problem(response, 404,
                          parts_.admin ? "This path is on the decision listener: the address of "
                                         "--listen, 127.0.0.1:8080 by default."
                                       : "This path is on the admin listener: the address of "
                                         "--admin, 127.0.0.1:8090 by default.");
      break;
    case Endpoint::unknown:
      wire::write_problem(response, 404, existing_paths(parts_.admin));
      break;
  }
  return {};
}

bool Service::may_ask() const {
  const std::vector<policy::Cidr>& allowed = snapshot_->policy->listeners.allow_from;
  return allowed.empty() ? is_loopback(peer_) : policy::contains(allowed, peer_);
}

identity::Facts Service::facts_of(const wire::HttpRequest& request) {
  fields_.clear();
  for (const wire::HttpField& field : request.fields) fields_.push_back({field.name, field.value});
  identity::Facts facts;
  facts.peer = peer_;
  facts.headers = fields_;
  return facts;
}

net::Handled Service::auth(const wire::HttpRequest& request, const Route& route,
                           wire::HttpResponse& response) {
  identity::Facts facts = facts_of(request);
  facts.max_delay = Duration{};
  facts.may_hold = true;
  if (route.endpoint == Endpoint::auth_envoy) {
    facts.method = request.method;
    facts.target = route.rest;
  } else {
    const Forwarded from = forwarded_fields(route.endpoint);
    for (const std::string_view name : {from.method_field, from.target_field}) {
      const wire::FieldLookup found = wire::find_field(request.fields, name);
      if (found.count > 1) {
        gateway_mistake(route.endpoint, GatewayMistake::repeated_field, name,
                        "The gateway sent this header more than once.", response);
        return {};
      }
      if (found.count == 0 || found.value.empty()) {
        gateway_mistake(route.endpoint, GatewayMistake::missing_field, name,
                        "The gateway must send this header.", response);
        return {};
      }
      (name == from.method_field ? facts.method : facts.target) = found.value;
    }
    if (!wire::is_token(facts.method)) {
      gateway_mistake(route.endpoint, GatewayMistake::wrong_method, from.method_field,
                      "The gateway sent what is no method.", response);
      return {};
    }
    const Stage stage = find_stage(route.query, facts.target);
    if (stage == Stage::wrong) {
      gateway_mistake(route.endpoint, GatewayMistake::wrong_stage, "stage",
                      "stage must be pre or post.", response);
      return {};
    }
    facts.stage = filter_of(stage);
  }
  return decide(route.endpoint, facts, response);
}

// nginx takes anything but 2xx, 401 and 403 for a failure of the service.
void Service::gateway_mistake(Endpoint endpoint, GatewayMistake kind, std::string_view field,
                              std::string_view detail, wire::HttpResponse& response) {
  parts_.metrics.mistakes().note(kind, {endpoint_name(endpoint), field, peer_}, parts_.clock.now());
  if (endpoint != Endpoint::auth_nginx) return wire::write_problem(response, 400, detail, field);
  body_.clear();
  wire::append_problem(body_, 400, detail, field);
  response.start(403);
  response.field("Cache-Control", "no-store");
  response.field("Weir-Status", std::uint64_t{400});
  response.field("Weir-Body", body_);
  response.finish("application/problem+json", body_);
}

net::Handled Service::decide(Endpoint endpoint, const identity::Facts& facts,
                             wire::HttpResponse& response) {
  const auto begin = steady_clock::now();
  if (!immediate_) return decide_later(endpoint, facts, begin);
  parts_.engine.decide(*snapshot_, facts, parts_.clock.now(), decision_);
  return {answer({endpoint, *snapshot_, decision_, facts, begin}, response)};
}

net::Handled Service::decide_later(Endpoint endpoint, const identity::Facts& facts,
                                   steady_clock::time_point begin) {
  identity::Facts kept = facts;
  if (!kept.client && kept.peer && may_log(*snapshot_)) {
    kept.client = identity::client_address(snapshot_->policy->listeners, *kept.peer, kept.headers);
  }
  auto* later = new LaterDecision(*this, completions_, endpoint, kept, begin);
  later->start(parts_.engine.decider(), snapshots_.shared(), facts, parts_.clock.now());
  return {.later = later};
}

net::Handled Service::check(const wire::HttpRequest& request, wire::HttpResponse& response) {
  if (auto wrong = check_parser_.parse(request.body, *snapshot_->policy, check_request_)) {
    wire::write_problem(response, 400, wrong->detail, wrong->field);
    return {};
  }
  identity::Facts facts;
  facts.method = check_request_.method;
  facts.target = check_request_.path;
  facts.client = check_request_.client_ip;
  facts.headers = check_request_.headers;
  facts.attributes = check_request_.attributes;
  facts.costs = check_request_.costs;
  facts.stage = check_request_.stage;
  facts.peek = check_request_.peek;
  return decide(Endpoint::check, facts, response);
}

net::Handled Service::usage(const wire::HttpRequest& request, wire::HttpResponse& response) {
  const identity::Facts facts = facts_of(request);
  const Now now = parts_.clock.now();
  if (!immediate_) {
    auto* later = new LaterUsage(*this, completions_, snapshots_.shared(), facts, now);
    later->start(parts_.engine.store());
    return {.later = later};
  }
  UsageQuery query(snapshots_.shared(), facts, now);
  query.start(parts_.engine.store());
  answer(query, response);
  return {};
}

void Service::health(Endpoint endpoint, wire::HttpResponse& response) {
  // While it drains it lives, but new work should go elsewhere.
  const bool leaving = endpoint == Endpoint::readyz && parts_.stopping.load();
  response.start(leaving ? 503 : 200);
  response.field("Cache-Control", "no-store");
  response.finish("text/plain", leaving ? "draining\n" : "ok\n");
}

}  // namespace weir::serve
