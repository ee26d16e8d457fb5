// Every endpoint over real sockets: what it answers, and what it refuses.
#include "serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::account_line;
using testing::auth;
using testing::Fields;
using testing::HttpClient;
using testing::Reply;
using testing::request;
using testing::TestServer;

constexpr std::string_view kPlans = R"(version: 1
tiers:
  free: {label: Free, public: true}
  pro: {label: Pro, public: true, upgrade_url: "https://acme.example/upgrade"}
classes:
  - {name: health, match: [/healthz], exempt: true}
  - {name: billing, when: {service: billing}}
limits:
  - name: plan-minute
    key: [client]
    algorithm: fixed_window
    align: first
    window: 1m
    except: [billing]
    tiers: {free: {limit: 100}, pro: {limit: 1000}}
  - {name: loop, classes: [billing], key: global, rate: 5/min}
identity:
  keys: {service: {from: "header:x-service"}}
response: {cors_expose: false, docs: "https://docs.acme.example/limits"}
)";

constexpr std::string_view kTiny = R"(version: 1
tiers: {anonymous: {}}
limits:
  - {name: edge, stage: pre_auth, key: [ip], rate: 2/min}
  - {name: plan, key: [ip], rate: 3/min}
)";

// Those of an answer that are not HTTP's own.
Fields signals(const Reply& reply) {
  Fields out;
  for (const auto& field : reply.fields) {
    if (field.first != "Content-Length" && field.first != "Date") out.push_back(field);
  }
  return out;
}

Fields client_fields(const Reply& reply) {
  Fields out = signals(reply);
  std::erase_if(out, [](const auto& f) { return f.first.starts_with("Weir-"); });
  return out;
}

TEST(Auth, AdmitsWith200AnEmptyBodyAndAllSignals) {
  TestServer weir(kPlans);
  const Reply reply = weir.ask(auth("GET", "/v1/x"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(client_fields(reply), (Fields{{"RateLimit-Policy", R"("plan-minute";q=100;w=60)"},
                                          {"RateLimit", R"("plan-minute";r=99;t=60)"},
                                          {"RateLimit-Limit", "100"},
                                          {"RateLimit-Remaining", "99"},
                                          {"RateLimit-Reset", "60"}}));
  EXPECT_EQ(reply.field("Weir-Tier"), "free");
}

// E5 of the examples: 100 a minute, spent, 30 s to go.
class SpentMinute : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 100; ++i) ASSERT_EQ(weir_.ask(auth("GET", "/v1/x")).status, 200);
    weir_.clock.advance(seconds(30));
  }
  static void expect_body(std::string_view text) {
    const boost::json::value body = TestServer::parse(text);
    const boost::json::object& o = body.as_object();
    EXPECT_EQ(o.size(), 6u);
    EXPECT_EQ(o.at("type"), "https://iana.org/assignments/http-problem-types#quota-exceeded");
    EXPECT_EQ(o.at("title"), "Quota Exceeded");
    EXPECT_EQ(o.at("status"), 429);
    EXPECT_EQ(o.at("violated-policies"), (boost::json::array{"plan-minute"}));
    const boost::json::object& e = o.at("error").as_object();
    EXPECT_EQ(e.size(), 8u);
    EXPECT_EQ(e.at("code"), "RATE_LIMIT_EXCEEDED");
    EXPECT_EQ(e.at("retryAfter"), 30);
    EXPECT_EQ(e.at("limit"), 100);
    EXPECT_EQ(e.at("window"), "1m");
    EXPECT_EQ(e.at("documentation"), "https://docs.acme.example/limits");
    EXPECT_EQ(e.at("currentUsage"), (boost::json::value{{"used", 100},
                                                        {"limit", 100},
                                                        {"window", "1 minute"},
                                                        {"resetsAt", "2026-11-30T15:32:01Z"}}));
    EXPECT_EQ(e.at("upgrade"), (boost::json::value{{"message", "Upgrade to Pro for higher limits."},
                                                   {"url", "https://acme.example/upgrade"}}));
  }
  static const Fields& expected_fields() {
    static const Fields kFields{{"Content-Type", "application/problem+json"},
                                {"Cache-Control", "no-store"},
                                {"Retry-After", "30"},
                                {"RateLimit-Policy", R"("plan-minute";q=100;w=60)"},
                                {"RateLimit", R"("plan-minute";r=0;t=30)"},
                                {"RateLimit-Limit", "100"},
                                {"RateLimit-Remaining", "0"},
                                {"RateLimit-Reset", "30"}};
    return kFields;
  }

  TestServer weir_{kPlans};
};

TEST_F(SpentMinute, IsAnsweredWithTheHeadersAndBodyOfTheExample) {
  const Reply reply = weir_.ask(auth("GET", "/v1/x"));
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(client_fields(reply), expected_fields());
  expect_body(reply.body);
}

TEST_F(SpentMinute, Is403ToNginxWithTheStatusAndTheWholeBodyInHeaders) {
  const Reply reply = weir_.ask(
      request("GET", "/v1/auth/nginx", {{"X-Original-Method", "GET"}, {"X-Original-URI", "/x"}}));
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(client_fields(reply), expected_fields());
  EXPECT_EQ(reply.field("Weir-Status"), "429");
  EXPECT_EQ(reply.field("Weir-Violated"), "\"plan-minute\"");
  ASSERT_TRUE(reply.field("Weir-Body"));
  EXPECT_LE(reply.field("Weir-Body")->size(), 2048u);
  EXPECT_EQ(*reply.field("Weir-Body"), reply.body);
  expect_body(*reply.field("Weir-Body"));
}

TEST_F(SpentMinute, Is429ToEnvoy) {
  const Reply reply = weir_.ask(request("GET", "/v1/auth/envoy/v1/x?q=1"));
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(client_fields(reply), expected_fields());
  EXPECT_FALSE(reply.field("Weir-Status"));
}

TEST_F(SpentMinute, IsAVerdictToAProgram) {
  const boost::json::value v =
      weir_.check(R"({"method":"GET","path":"/v1/x","client_ip":"127.0.0.1"})");
  const boost::json::object& o = v.as_object();
  EXPECT_EQ(o.at("admit"), false);
  EXPECT_EQ(o.at("status"), 429);
  EXPECT_EQ(o.at("reason"), "limit_exceeded");
  EXPECT_EQ(o.at("class"), "default");
  EXPECT_EQ(o.at("tier"), "free");
  EXPECT_TRUE(o.at("account").is_null());
  EXPECT_EQ(o.at("governing"), "plan-minute");
  EXPECT_EQ(o.at("retry_after_ms"), 30'000);
  EXPECT_EQ(o.at("delay_ms"), 0);
  EXPECT_EQ(o.at("degraded"), false);
  EXPECT_EQ(o.at("limits"), (boost::json::array{{{"name", "plan-minute"},
                                                 {"limit", 100},
                                                 {"remaining", 0},
                                                 {"window_ms", 60'000},
                                                 {"reset_ms", 30'000},
                                                 {"mode", "enforce"}}}));
  boost::json::object headers;
  for (const auto& [name, value] : expected_fields()) headers[name] = value;
  EXPECT_EQ(o.at("headers"), headers);
  expect_body(boost::json::serialize(o.at("body")));
}

TEST(Check, AnswersAnAdmissionWithoutABody) {
  TestServer weir(kPlans, account_line("k-pro", "pro", "acme"));
  const boost::json::value v = weir.check(
      R"({"method":"GET","path":"/x","client_ip":"203.0.113.7","headers":{"X-Api-Key":"k-pro"}})");
  EXPECT_EQ(v.at("admit"), true);
  EXPECT_EQ(v.at("status"), 200);
  EXPECT_EQ(v.at("reason"), "admitted");
  EXPECT_EQ(v.at("tier"), "pro");
  EXPECT_EQ(v.at("account"), "acme");
  EXPECT_EQ(v.at("retry_after_ms"), 0);
  EXPECT_TRUE(v.at("body").is_null());
  EXPECT_EQ(v.at("headers").at("RateLimit-Remaining"), "999");
}

TEST(Check, StatedCostAndPeek) {
  TestServer weir(kPlans);
  const auto remaining = [](const boost::json::value& v) {
    return v.at("limits").as_array().at(0).at("remaining").to_number<int>();
  };
  EXPECT_EQ(remaining(weir.check(R"({"method":"GET","path":"/","client_ip":"1.2.3.4","cost":40})")),
            60);
  EXPECT_EQ(
      remaining(weir.check(
          R"({"method":"GET","path":"/","client_ip":"1.2.3.4","cost":{"requests":10},"peek":true})")),
      60);
  // A cost of 0 takes the request out of the limit.
  EXPECT_EQ(
      weir.check(R"({"method":"GET","path":"/","client_ip":"1.2.3.4","cost":0})").at("limits"),
      boost::json::array());
  const auto never = weir.check(R"({"method":"GET","path":"/","client_ip":"1.2.3.4","cost":101})");
  EXPECT_EQ(never.at("admit"), false);
  EXPECT_EQ(never.at("reason"), "cost_exceeds_limit");
  EXPECT_TRUE(never.at("retry_after_ms").is_null());
  EXPECT_FALSE(never.at("headers").as_object().contains("Retry-After"));
}

TEST(Check, BadInputIs400NamingTheFieldAndChargesNothing) {
  TestServer weir(kPlans);
  const Reply reply = weir.ask(request(
      "POST", "/v1/check", {}, R"({"method":"GET","path":"/","client_ip":"1.2.3.4","cost":-1})"));
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.field("Content-Type"), "application/problem+json");
  EXPECT_EQ(TestServer::parse(reply.body).at("field"), "cost");
  const auto v = weir.check(R"({"method":"GET","path":"/","client_ip":"1.2.3.4","peek":true})");
  EXPECT_EQ(v.at("limits").as_array().at(0).at("remaining"), 100);
}

TEST(Check, ALoopingInternalCallerIsDeniedByItsOwnLimitOnly) {
  TestServer weir(kPlans);
  const std::string_view loop =
      R"({"method":"POST","path":"/job","client_ip":"10.0.0.1","attributes":{"service":"billing"}})";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(weir.check(loop).at("admit"), true);
  const auto denied = weir.check(loop);
  EXPECT_EQ(denied.at("admit"), false);
  EXPECT_EQ(denied.at("class"), "billing");
  EXPECT_EQ(denied.at("governing"), "loop");
  EXPECT_EQ(weir.check(R"({"method":"POST","path":"/job","client_ip":"10.0.0.1"})").at("admit"),
            true);
}

TEST(Auth, ReadsTheOriginalRequestFromItsOwnHeadersOnly) {
  TestServer weir(kTiny);
  const struct {
    const char* name;
    std::string_view target;
    Fields fields;
    const char* field;
  } kCases[] = {
      {"nothing", "/v1/auth", {}, "X-Forwarded-Method"},
      {"no uri", "/v1/auth", {{"X-Forwarded-Method", "GET"}}, "X-Forwarded-Uri"},
      {"no method", "/v1/auth", {{"X-Forwarded-Uri", "/"}}, "X-Forwarded-Method"},
      {"empty uri",
       "/v1/auth",
       {{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", ""}},
       "X-Forwarded-Uri"},
      {"two uris",
       "/v1/auth",
       {{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", "/"}, {"x-forwarded-uri", "/b"}},
       "X-Forwarded-Uri"},
      {"underscores",
       "/v1/auth",
       {{"X_Forwarded_Method", "GET"}, {"X_Forwarded_Uri", "/"}},
       "X-Forwarded-Method"},
      {"nginx's headers",
       "/v1/auth",
       {{"X-Original-Method", "GET"}, {"X-Original-URI", "/"}},
       "X-Forwarded-Method"},
      {"no method at all",
       "/v1/auth",
       {{"X-Forwarded-Method", "G T"}, {"X-Forwarded-Uri", "/"}},
       "X-Forwarded-Method"},
      {"stage",
       "/v1/auth?stage=x",
       {{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", "/"}},
       "stage"},
  };
  for (const auto& c : kCases) {
    const Reply reply = weir.ask(request("GET", c.target, c.fields));
    EXPECT_EQ(reply.status, 400) << c.name;
    EXPECT_EQ(TestServer::parse(reply.body).at("field"), c.field) << c.name;
  }
  const Reply nginx = weir.ask(
      request("GET", "/v1/auth/nginx", {{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", "/"}}));
  EXPECT_EQ(nginx.status, 403);
  EXPECT_EQ(nginx.field("Weir-Status"), "400");
  EXPECT_EQ(TestServer::parse(*nginx.field("Weir-Body")).at("field"), "X-Original-Method");
}

TEST(Auth, ABadPathOfTheClientIsMalformedAndNever400) {
  TestServer weir(kTiny);
  for (const char* path : {"no-slash", "/%zz", "*", "/\xff", "/%00"}) {
    EXPECT_NE(weir.ask(auth("GET", path)).status, 400) << path;
  }
  EXPECT_NE(weir.ask(request("OPTIONS", "/v1/auth/envoy*")).status, 400);
}

TEST(Auth, EvaluatesTheStageThatIsAskedFor) {
  TestServer weir(kTiny);
  EXPECT_EQ(weir.ask(auth("GET", "/", {}, "/v1/auth?stage=pre&x=1")).field("RateLimit-Limit"), "2");
  EXPECT_EQ(weir.ask(auth("GET", "/", {}, "/v1/auth?stage=post")).field("RateLimit-Limit"), "3");
  EXPECT_EQ(weir.ask(auth("GET", "/")).field("RateLimit-Policy"),
            R"("edge";q=2;w=60, "plan";q=3;w=60)");
  EXPECT_EQ(weir.ask(auth("GET", "/")).status, 429);  // edge is spent, plan is not
  EXPECT_EQ(weir.ask(auth("GET", "/", {}, "/v1/auth?stage=post")).status, 200);
}

TEST(Auth, TakesAnyMethodAndLeavesTheBodyOutForHead) {
  TestServer weir(kTiny);
  for (const char* method : {"GET", "POST", "PATCH", "OPTIONS"}) {
    const Fields fields{{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", "/"}};
    EXPECT_THAT(weir.ask(request(method, "/v1/auth", fields)).status, ::testing::AnyOf(200, 429));
  }
  HttpClient client(weir.port());
  ASSERT_TRUE(client.send(
      request("HEAD", "/v1/auth", {{"X-Forwarded-Method", "GET"}, {"X-Forwarded-Uri", "/"}}) +
      request("GET", "/healthz")));
  const auto head = client.read(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 429);
  EXPECT_NE(head->field("Content-Length"), "0");
  EXPECT_EQ(client.read()->body, "ok\n");
}

TEST(Auth, APreflightAndAnExemptClassAreNotCounted) {
  TestServer weir(kPlans);
  const Reply preflight =
      weir.ask(auth("OPTIONS", "/x",
                    {{"Origin", "https://a.example"}, {"Access-Control-Request-Method", "GET"}}));
  EXPECT_EQ(preflight.status, 200);
  EXPECT_FALSE(preflight.field("RateLimit"));
  EXPECT_FALSE(weir.ask(auth("GET", "/healthz")).field("RateLimit"));
  EXPECT_EQ(weir.ask(auth("GET", "/x")).field("RateLimit-Remaining"), "99");
}

TEST(Auth, AnOverloadLimitIs503AndToEnvoy429) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\n"
      "limits: [{name: all, key: global, rate: 1/min, status: 503}]\n");
  EXPECT_EQ(weir.ask(auth("GET", "/")).status, 200);
  const Reply denied = weir.ask(auth("GET", "/"));
  EXPECT_EQ(denied.status, 503);
  EXPECT_EQ(denied.field("Retry-After"), "60");
  const Reply envoy = weir.ask(request("GET", "/v1/auth/envoy/"));
  EXPECT_EQ(envoy.status, 429);
  EXPECT_EQ(envoy.field("Weir-Status"), "503");
  const Reply nginx = weir.ask(
      request("GET", "/v1/auth/nginx", {{"X-Original-Method", "GET"}, {"X-Original-URI", "/x"}}));
  EXPECT_EQ(nginx.status, 403);
  EXPECT_EQ(nginx.field("Weir-Status"), "503");
}

TEST(Auth, HoldsTheAnswerOfAQueueThatSaysHold) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\nlimits:\n"
      "  - {name: q, classes: [h], key: global, algorithm: leaky_bucket, rate: 20/s, queue: 5, "
      "hold: 1s}\n"
      "  - {name: n, classes: [n], key: global, algorithm: leaky_bucket, rate: 20/s, queue: 5}\n"
      "classes: [{name: h, match: [/h]}, {name: n, match: [/n]}]\n");
  HttpClient client(weir.port());
  EXPECT_EQ(client.ask(auth("GET", "/h"))->status, 200);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(client.ask(auth("GET", "/h"))->status, 200);  // 50 ms behind the first
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_EQ(client.ask(auth("GET", "/n"))->status, 200);
  EXPECT_EQ(client.ask(auth("GET", "/n"))->status, 429);  // nothing waits that did not ask to
  const auto queued = weir.check(R"({"method":"GET","path":"/n"})");
  EXPECT_EQ(queued.at("admit"), true);
  EXPECT_EQ(queued.at("delay_ms"), 50);
}

TEST(Usage, ShowsTheCallersOwnCountersAndChargesNothing) {
  TestServer weir(kPlans, account_line("k-pro", "pro", "acme"));
  const Fields key{{"X-Api-Key", "k-pro"}};
  for (int i = 0; i < 7; ++i) weir.ask(auth("GET", "/x", key));
  for (int i = 0; i < 3; ++i) {
    const Reply reply = weir.ask(request("GET", "/v1/usage", key));
    ASSERT_EQ(reply.status, 200);
    const boost::json::value usage = TestServer::parse(reply.body);
    EXPECT_EQ(usage.at("tier"), "pro");
    EXPECT_EQ(usage.at("account"), "acme");
    const boost::json::array& limits = usage.at("limits").as_array();
    ASSERT_EQ(limits.size(), 2u);
    const auto plan = std::find_if(limits.begin(), limits.end(), [](const boost::json::value& l) {
      return l.at("name") == "plan-minute";
    });
    ASSERT_NE(plan, limits.end());
    EXPECT_EQ(plan->at("used"), 7);
    EXPECT_EQ(plan->at("limit"), 1000);
    EXPECT_EQ(plan->at("remaining"), 993);
    EXPECT_EQ(plan->at("window_ms"), 60'000);
    EXPECT_TRUE(plan->at("class").is_null());
  }
}

TEST(Listeners, HaveHealthOnBothAndMetricsOnOne) {
  TestServer weir(kTiny);
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(weir.ask(request("GET", path)).status, 200);
    EXPECT_EQ(weir.ask_admin(request("GET", path)).status, 200);
  }
  EXPECT_EQ(weir.ask_admin(request("GET", "/metrics")).status, 200);
  EXPECT_EQ(weir.ask(request("GET", "/metrics")).status, 404);
  EXPECT_EQ(weir.ask_admin(auth("GET", "/")).status, 404);
}

TEST(Listeners, SayWhatExistsAndWhatIsNotInThisVersion) {
  TestServer weir(kTiny);
  const Reply unknown = weir.ask(request("GET", "/v1/chek"));
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.field("Content-Type"), "application/problem+json");
  EXPECT_THAT(unknown.body, ::testing::HasSubstr("/v1/check"));
  for (const char* path : {"/v1/settle", "/v1/release", "/json"}) {
    const Reply later = weir.ask(request("POST", path));
    EXPECT_EQ(later.status, 404) << path;
    EXPECT_THAT(later.body, ::testing::HasSubstr("not in this version")) << path;
    EXPECT_THAT(later.body, ::testing::HasSubstr("/v1/check")) << path;
  }
  EXPECT_THAT(weir.ask_admin(request("GET", "/")).body, ::testing::HasSubstr("/metrics"));
  EXPECT_THAT(weir.ask(request("GET", "/metrics")).body, ::testing::HasSubstr("--admin"));
  EXPECT_THAT(weir.ask_admin(request("GET", "/v1/auth")).body, ::testing::HasSubstr("--listen"));
  const Reply method = weir.ask(request("GET", "/v1/check"));
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.field("Allow"), "POST");
  EXPECT_EQ(weir.ask(request("POST", "/v1/usage")).field("Allow"), "GET, HEAD");
}

TEST(Listeners, AnswerOnlyThoseWhoMayAsk) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\nlisteners: {allow_from: [192.0.2.0/24]}\n"
      "limits: [{name: a, key: [ip], rate: 1/min}]\n");
  EXPECT_EQ(weir.ask(auth("GET", "/")).status, 403);
  EXPECT_EQ(weir.ask(request("POST", "/v1/check", {}, R"({"method":"GET","path":"/"})")).status,
            403);
  EXPECT_EQ(weir.ask(request("GET", "/healthz")).status, 200);
}

TEST(Listeners, BelieveAddressHeadersFromTrustedProxiesOnly) {
  const std::string limits =
      "tiers: {anonymous: {}}\nlimits: [{name: a, key: [ip], rate: 2/min}]\n";
  const auto ask = [](TestServer& weir, const char* forwarded_for) {
    return weir.ask(auth("GET", "/", {{"X-Forwarded-For", forwarded_for}})).status;
  };
  TestServer untrusted("version: 1\n" + limits);
  EXPECT_EQ(ask(untrusted, "203.0.113.1"), 200);
  EXPECT_EQ(ask(untrusted, "203.0.113.2"), 200);
  EXPECT_EQ(ask(untrusted, "203.0.113.3"), 429);
  TestServer trusted("version: 1\nlisteners: {trusted_proxies: [127.0.0.0/8]}\n" + limits);
  for (const char* first : {"6.6.6.1", "6.6.6.2"}) {
    EXPECT_EQ(ask(trusted, (std::string(first) + ", 203.0.113.9").c_str()), 200);
  }
  EXPECT_EQ(ask(trusted, "6.6.6.3, 203.0.113.9"), 429);
  EXPECT_EQ(ask(trusted, "203.0.113.10"), 200);
}

TEST(Listeners, SayWhichAddressIsInUse) {
  TestServer weir(kTiny);
  ServeOptions options;
  options.listen = net::to_text(weir.server->endpoint());
  options.admin = "127.0.0.1:0";
  options.threads = 2;
  ManualClock clock;
  auto engine = decide::Engine::open_text(kTiny, testing::kNoFile).engine;
  const Server::Opened second = Server::open(options, clock, std::move(engine));
  EXPECT_FALSE(second.server);
  ASSERT_TRUE(second.error);
  EXPECT_THAT(second.error->message, ::testing::AllOf(::testing::HasSubstr(options.listen),
                                                      ::testing::HasSubstr("--listen")));
}

}  // namespace
}  // namespace weir::serve
