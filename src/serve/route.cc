#include "serve/route.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace weir::serve {

namespace {

constexpr std::string_view kEnvoy = "/v1/auth/envoy";

struct Known {
  std::string_view path;
  Endpoint endpoint;
  bool decisions, admin;  // on which listener
};

constexpr std::array<Known, 12> kKnown{{
    {"/v1/auth", Endpoint::auth, true, false},
    {"/v1/auth/nginx", Endpoint::auth_nginx, true, false},
    {"/v1/check", Endpoint::check, true, false},
    {"/v1/usage", Endpoint::usage, true, false},
    {"/healthz", Endpoint::healthz, true, true},
    {"/readyz", Endpoint::readyz, true, true},
    {"/metrics", Endpoint::metrics, false, true},
    {"/v1/settle", Endpoint::later, true, true},
    {"/v1/release", Endpoint::later, true, true},
    {"/json", Endpoint::later, true, true},
    {"/admin", Endpoint::later, true, true},
    {"/", Endpoint::later, false, true},
}};

// The value of the first `stage` key; none: nullopt.
std::optional<std::string_view> first_stage(std::string_view query) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair == "stage") return std::string_view{};
    if (pair.starts_with("stage=")) return pair.substr(6);
  }
  return std::nullopt;
}

}  // namespace

Route find_route(std::string_view target, bool admin) {
  Route route;
  if (!admin && target.starts_with(kEnvoy)) {
    // What follows is the client's, whatever it is: a path of its own is never a 404.
    const std::string_view rest = target.substr(kEnvoy.size());
    if (rest.empty() || rest[0] == '/' || rest[0] == '?' || rest[0] == '#' || rest[0] == '*') {
      return {Endpoint::auth_envoy, {}, rest.empty() ? "/" : rest};
    }
  }
  const std::size_t end = std::min(target.find_first_of("?#"), target.size());
  const std::string_view path = target.substr(0, end);
  if (end < target.size() && target[end] == '?') route.query = target.substr(end + 1);
  for (const Known& known : kKnown) {
    if (path != known.path) continue;
    const bool here = admin ? known.admin : known.decisions;
    route.endpoint = here ? known.endpoint : Endpoint::other_listener;
    return route;
  }
  if (path.starts_with("/admin/")) route.endpoint = Endpoint::later;
  return route;
}

std::string_view endpoint_name(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::auth_nginx:
      return "nginx";
    case Endpoint::auth_envoy:
      return "envoy";
    case Endpoint::check:
      return "check";
    case Endpoint::usage:
      return "usage";
    default:
      return "auth";
  }
}

std::string_view allowed_methods(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::check:
      return "POST";
    case Endpoint::usage:
    case Endpoint::healthz:
    case Endpoint::readyz:
    case Endpoint::metrics:
      return "GET, HEAD";
    default:
      return {};
  }
}

std::string_view existing_paths(bool admin) {
  return admin ? "This listener has /metrics, /healthz and /readyz."
               : "This listener has /v1/auth, /v1/auth/nginx, /v1/auth/envoy/, /v1/check, "
                 "/v1/usage, /healthz and /readyz.";
}

Stage find_stage(std::string_view query, std::string_view client_target) {
  if (query.empty()) return Stage::all;
  const std::size_t mark = client_target.find('?');
  const std::string_view client =
      mark == std::string_view::npos ? std::string_view{} : client_target.substr(mark + 1);
  if (!client.empty() && query.ends_with(client)) {
    const std::size_t own = query.size() - client.size();
    if (own == 0) return Stage::all;
    if (query[own - 1] == '&') query = query.substr(0, own - 1);
  }
  const std::optional<std::string_view> stage = first_stage(query);
  if (!stage) return Stage::all;
  if (*stage == "pre") return Stage::pre;
  if (*stage == "post") return Stage::post;
  return Stage::wrong;
}

}  // namespace weir::serve
