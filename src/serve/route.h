// Which endpoint a request target names. No allocation; pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::serve {

enum class Endpoint : std::uint8_t {
  auth,        // any method /v1/auth: forward-auth
  auth_nginx,  // any method /v1/auth/nginx
  auth_envoy,  // any method /v1/auth/envoy/...
  check,       // POST /v1/check
  usage,       // GET /v1/usage
  healthz,
  readyz,
  metrics,         // admin listener only
  other_listener,  // exists on the other listener
  later,           // known by name, not in this version
  unknown,
};

struct Route {
  Endpoint endpoint = Endpoint::unknown;
  std::string_view query;  // behind `?`, or empty
  std::string_view rest;   // auth_envoy: the target of the original request
};

Route find_route(std::string_view target, bool admin);
// What logs call an endpoint that makes decisions.
std::string_view endpoint_name(Endpoint endpoint);
// The Allow field of an endpoint that is not for any method; empty: any.
std::string_view allowed_methods(Endpoint endpoint);
// What a 404 says exists.
std::string_view existing_paths(bool admin);

// Which limits `?stage=` asks for. The gateway may have appended the client's own query string to
// its address (Caddy does): `client_target` is the original request's target, and what could stem
// from it is not believed.
enum class Stage : std::uint8_t { all, pre, post, wrong };
Stage find_stage(std::string_view query, std::string_view client_target);

}  // namespace weir::serve
