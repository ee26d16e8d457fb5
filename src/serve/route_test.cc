#include "serve/route.h"

#include <gtest/gtest.h>

namespace weir::serve {
namespace {

TEST(Route, FindsEachEndpointOfEachListener) {
  const struct {
    std::string_view target;
    Endpoint decisions, admin;
  } kCases[] = {
      {"/v1/auth", Endpoint::auth, Endpoint::other_listener},
      {"/v1/auth?stage=pre", Endpoint::auth, Endpoint::other_listener},
      {"/v1/auth/nginx", Endpoint::auth_nginx, Endpoint::other_listener},
      {"/v1/check", Endpoint::check, Endpoint::other_listener},
      {"/v1/usage", Endpoint::usage, Endpoint::other_listener},
      {"/healthz", Endpoint::healthz, Endpoint::healthz},
      {"/readyz?x", Endpoint::readyz, Endpoint::readyz},
      {"/metrics", Endpoint::other_listener, Endpoint::metrics},
      {"/v1/settle", Endpoint::later, Endpoint::later},
      {"/v1/release", Endpoint::later, Endpoint::later},
      {"/json", Endpoint::later, Endpoint::later},
      {"/admin/top", Endpoint::later, Endpoint::later},
      {"/v1/auth/", Endpoint::unknown, Endpoint::unknown},
      {"/V1/auth", Endpoint::unknown, Endpoint::unknown},
      {"/v1/auth/envoyx", Endpoint::unknown, Endpoint::unknown},
      {"*", Endpoint::unknown, Endpoint::unknown},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(find_route(c.target, false).endpoint, c.decisions) << c.target;
    EXPECT_EQ(find_route(c.target, true).endpoint, c.admin) << c.target;
  }
}

TEST(Route, LeavesTheClientsOwnTargetBehindTheEnvoyPrefixAsItIs) {
  const struct {
    std::string_view target, rest;
  } kCases[] = {
      {"/v1/auth/envoy/a/b?c=d", "/a/b?c=d"},
      {"/v1/auth/envoy//x/../y", "//x/../y"},
      {"/v1/auth/envoy", "/"},
      {"/v1/auth/envoy?stage=pre", "?stage=pre"},
      {"/v1/auth/envoy*", "*"},
      {"/v1/auth/envoy/", "/"},
  };
  for (const auto& c : kCases) {
    const Route route = find_route(c.target, false);
    EXPECT_EQ(route.endpoint, Endpoint::auth_envoy) << c.target;
    EXPECT_EQ(route.rest, c.rest) << c.target;
  }
}

TEST(Stage, IsTheGatewaysAndNeverTheClients) {
  const struct {
    const char* name;
    std::string_view query, client;
    Stage stage;
  } kCases[] = {
      {"none", "", "/a", Stage::all},
      {"pre", "stage=pre", "/a", Stage::pre},
      {"post", "x=1&stage=post", "/a?b=c", Stage::post},
      {"unknown keys", "a=b&stages=pre", "/a", Stage::all},
      {"other value", "stage=both", "/a", Stage::wrong},
      {"no value", "stage", "/a", Stage::wrong},
      {"empty value", "stage=", "/a", Stage::wrong},
      // A gateway that appends the client's query string to its own address.
      {"client's alone", "stage=pre", "/a?stage=pre", Stage::all},
      {"client's bad value", "stage=zzz&q=1", "/a?stage=zzz&q=1", Stage::all},
      {"gateway's first", "stage=post&stage=pre", "/a?stage=pre", Stage::post},
      {"client's appended", "v=1&stage=pre&z=2", "/a?stage=pre&z=2", Stage::all},
      // A gateway that does not: the client's query cannot take its stage away.
      {"client asks likewise", "stage=pre", "/a?b=1&stage=post", Stage::pre},
  };
  for (const auto& c : kCases) EXPECT_EQ(find_stage(c.query, c.client), c.stage) << c.name;
}

}  // namespace
}  // namespace weir::serve
