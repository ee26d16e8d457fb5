// What a replay says of a log is what the service says of the same requests, one by one: a running
// server, whose clock is moved by hand, is asked at each request's instant.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "answer/answer.h"
#include "serve/testing/test_server.h"
#include "serve/verdict_json.h"
#include "traffic/reader.h"
#include "traffic/replay.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using serve::testing::TestServer;

// Every algorithm, both stages, keys of every kind that a log can hold, costs, a custom tier's
// account, a limit in shadow, one that some requests miss the key of.
constexpr std::string_view kPolicy = R"(version: 1
identity:
  keys:
    tenant: {from: "header:x-tenant"}
    person: {from: "attribute:user"}
tiers:
  free: {}
  pro: {}
classes:
  - {name: health, match: [/healthz], exempt: true}
  - {name: search, match: ["GET /search/*"], cost: {requests: 3}}
  - {name: write, match: ["POST /**"]}
limits:
  - {name: edge, stage: pre_auth, key: [ip], rate: 20/s, burst: 30}
  - name: plan
    key: [client]
    algorithm: fixed_window
    window: 10s
    tiers: {free: {limit: 20}, pro: {limit: 40}}
  - {name: counter, key: [ip], algorithm: sliding_window, limit: 25, window: 7s}
  - {name: log, classes: [write], key: [ip, class], algorithm: sliding_log, limit: 5, window: 3s}
  - {name: queue, classes: [search], key: [tenant], algorithm: leaky_bucket, rate: 2/s, queue: 6, max_wait: 2s, on_missing: skip}
  - {name: person, key: [person], rate: 1/3s, burst: 10, on_missing: skip}
  - {name: tried, key: [ip], rate: 1/s, burst: 2, mode: shadow}
  - {name: all, key: global, rate: 100/s, burst: 100}
)";

struct Sent {
  std::int64_t at_ms = 0;
  std::string client, method, target, agent, tenant, user, api_key;
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string log_line(const Sent& s) {
  return s.client + " " + or_dash(s.user) + " " + std::to_string(s.at_ms / 1'000) + "." +
         std::to_string(1'000 + s.at_ms % 1'000).substr(1) + " \"" + s.method + " " + s.target +
         " HTTP/1.1\" 200 \"" + s.agent + "\" " + or_dash(s.tenant) + " " + or_dash(s.api_key) +
         "\n";
}

constexpr const char* kFormat =
    "$remote_addr $remote_user $msec \"$request\" $status \"$http_user_agent\" $http_x_tenant "
    "$http_x_api_key";

std::string check_body(const Sent& s) {
  boost::json::object headers{{"user-agent", s.agent}};
  if (!s.tenant.empty()) headers["x-tenant"] = s.tenant;
  if (!s.api_key.empty()) headers["x-api-key"] = s.api_key;
  boost::json::object body{
      {"method", s.method}, {"path", s.target}, {"client_ip", s.client}, {"headers", headers}};
  if (!s.user.empty()) body["attributes"] = {{"user", s.user}};
  return boost::json::serialize(body);
}

class Requests {
 public:
  explicit Requests(std::uint64_t seed) : random_(seed) {}

  std::vector<Sent> make(std::size_t count) {
    std::vector<Sent> all;
    std::int64_t at_ms = static_cast<std::int64_t>(serve::testing::kStart.ns / 1'000'000);
    for (std::size_t i = 0; i < count; ++i) {
      at_ms += one_in(3) ? 0 : static_cast<std::int64_t>(random_() % (one_in(50) ? 9'000 : 90));
      Sent s;
      s.at_ms = at_ms;
      s.client = pick({"192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::2", "198.51.100.9"});
      s.method = pick({"GET", "GET", "GET", "POST", "OPTIONS"});
      s.target = pick({"/", "/healthz", "/search/a?q=1", "/search/b", "/items/7", "/a%2Fb//c"});
      s.agent = pick({"curl/8", "Mozilla/5.0 (X11)"});
      s.tenant = pick({"", "acme", "initech"});
      s.user = pick({"", "", "ann", "bob"});
      s.api_key = pick({"", "", "k-free", "k-pro", "k-nobody"});
      all.push_back(std::move(s));
    }
    return all;
  }

 private:
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  std::string pick(std::initializer_list<const char*> words) {
    return words.begin()[random_() % words.size()];
  }

  std::mt19937_64 random_;
};

traffic::ReadLogs read_back(const std::vector<Sent>& sent) {
  std::string name = (fs::temp_directory_path() / "weir-agrees-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  {
    std::ofstream log(folder / "access.log", std::ios::binary);
    for (const Sent& s : sent) log << log_line(s);
  }
  traffic::ReadOptions options;
  options.format = kFormat;
  auto logs = traffic::read_logs({(folder / "access.log").string()}, options);
  fs::remove_all(folder);
  EXPECT_TRUE(logs) << (logs ? "" : logs.error().text());
  return logs ? std::move(*logs) : traffic::ReadLogs{};
}

// Without what is made for the client from it: headers and body.
std::string verdict(boost::json::value value) {
  value.as_object().erase("headers");
  value.as_object().erase("body");
  return boost::json::serialize(value);
}

TEST(ReplayAgrees, WithTheServiceOnEveryRequestOfALog) {
  const std::string accounts = serve::testing::account_line("k-free", "free", "small") +
                               serve::testing::account_line("k-pro", "pro", "large");
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const std::vector<Sent> sent = Requests(seed).make(1'200);
    const traffic::ReadLogs logs = read_back(sent);
    ASSERT_EQ(logs.report.requests, sent.size());
    auto opened = decide::Engine::open_text(kPolicy, serve::testing::kNoFile, accounts,
                                            decide::Engine::open_memory);
    ASSERT_NE(opened.engine, nullptr) << (opened.findings.empty() ? "" : opened.findings[0].text());
    traffic::Replay replay(*opened.engine, logs.events);
    TestServer server(kPolicy, accounts);
    ASSERT_NE(server.server, nullptr);
    std::size_t denied = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const Instant at{static_cast<std::uint64_t>(sent[i].at_ms) * 1'000'000};
      server.clock.advance(Duration{at.ns - server.clock.now().wall().ns});
      const decide::Decision& decision = replay.decide(i);
      std::string replayed;
      serve::append_verdict(replayed, replay.snapshot(), decision, answer::Answer{});
      ASSERT_EQ(verdict(TestServer::parse(replayed)), verdict(server.check(check_body(sent[i]))))
          << i << ": " << log_line(sent[i]);
      denied += decision.admit ? 0 : 1;
    }
    EXPECT_GT(denied, sent.size() / 10);
    EXPECT_LT(denied, sent.size() * 9 / 10);
  }
}

}  // namespace
}  // namespace weir::cli
