// A whole server on free ports, a policy as text, and a clock moved by hand: for tests.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decide/engine.h"
#include "identity/accounts.h"
#include "net/testing/http_client.h"
#include "serve/server.h"
#include "weir/clock.h"

namespace weir::serve::testing {

using net::testing::HttpClient;
using net::testing::Reply;

// 2026-11-30T15:31:01Z.
inline constexpr Instant kStart{1'796'052'661'000'000'000};

// The name of a policy that is in no file: nothing a user keeps in a folder can be read instead.
inline constexpr const char* kNoFile = "/dev/null/policy.yaml";

using Fields = std::vector<std::pair<std::string, std::string>>;

inline std::string request(std::string_view method, std::string_view target,
                           const Fields& fields = {}, std::string_view body = {}) {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: weir\r\n");
  for (const auto& [name, value] : fields) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
}

// What a gateway asks at /v1/auth.
inline std::string auth(std::string_view method, std::string_view uri, const Fields& more = {},
                        std::string_view target = "/v1/auth") {
  Fields fields{{"X-Forwarded-Method", std::string(method)}, {"X-Forwarded-Uri", std::string(uri)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return request("GET", target, fields);
}

inline std::string account_line(std::string_view key, std::string_view tier,
                                std::string_view name) {
  return identity::to_hex(identity::hash_api_key(key)) + "," + std::string(tier) + "," +
         std::string(name) + "\n";
}

class TestServer {
 public:
  explicit TestServer(std::string_view policy, std::string_view accounts = {},
                      ServeOptions options = {},
                      decide::Engine::OpenStore open_store = decide::Engine::open_memory)
      : clock(kStart, {1'000'000'000}) {
    decide::Engine::Opened opened =
        decide::Engine::open_text(policy, kNoFile, accounts, open_store);
    for (const policy::Finding& f : opened.findings) {
      if (f.severity == policy::Severity::error) ADD_FAILURE() << f.text();
    }
    if (!opened.engine) return;
    options.listen = options.admin = "127.0.0.1:0";
    if (options.threads == 0) options.threads = 2;
    Server::Opened made = Server::open(options, clock, std::move(opened.engine));
    if (made.error) ADD_FAILURE() << made.error->text();
    server = std::move(made.server);
    if (server) server->start();
  }

  std::uint16_t port() const { return server->port(); }
  Reply ask(std::string_view bytes) { return ask_port(port(), bytes); }
  Reply ask_admin(std::string_view bytes) { return ask_port(server->admin_port(), bytes); }
  // The verdict of /v1/check.
  boost::json::value check(std::string_view body) {
    const Reply reply = ask(request("POST", "/v1/check", {}, body));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return parse(reply.body);
  }
  static boost::json::value parse(std::string_view text) {
    boost::system::error_code ec;
    boost::json::value value = boost::json::parse({text.data(), text.size()}, ec);
    EXPECT_FALSE(ec) << text;
    return value;
  }

  ManualClock clock;
  std::unique_ptr<Server> server;

 private:
  static Reply ask_port(std::uint16_t port, std::string_view bytes) {
    HttpClient client(port);
    auto reply = client.ask(bytes);
    if (!reply) ADD_FAILURE() << "no answer to " << bytes;
    return reply.value_or(Reply{});
  }
};

}  // namespace weir::serve::testing
