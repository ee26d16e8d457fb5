// JSON lines: what of a line becomes which field, by known format and by a map of the user.
#include "traffic/format/json_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "traffic/format/formats.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMidnight = 1'525'046'400'000'000'000;  // 2018-04-30T00:00:00Z

class JsonLines : public ::testing::Test {
 protected:
  Parsed parse(std::string_view format, std::string_view line, std::string_view fields = "") {
    auto made = make_parser(format, fields);
    EXPECT_TRUE(made) << format << ": " << (made ? "" : made.error().text());
    if (!made) return Parsed::rejected;
    parser_ = std::move(*made);
    line_ = line;
    return parser_->parse(line_, record_);
  }
  std::string reason(std::string_view line) {
    return parse("json", line, "time=t,status=s,cost.tokens=a,cost.tokens=b") == Parsed::rejected
               ? std::string(parser_->reason())
               : "";
  }
  std::string detected(std::string_view line) {
    const auto found = detect({line, line});
    return found ? found->name : found.error().text();
  }
  std::string header(std::string_view name) const {
    for (const Field& field : record_.headers()) {
      if (field.name == name) return std::string(field.value);
    }
    return "";
  }

  std::unique_ptr<Parser> parser_;
  std::string line_;
  Record record_;
};

constexpr std::string_view kCaddy =
    R"({"level":"info","ts":1525046401.5,"logger":"http.log.access","msg":"handled request",)"
    R"("request":{"remote_ip":"192.0.2.9","remote_port":"41342","client_ip":"192.0.2.1",)"
    R"("proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/a?b=\u0063",)"
    R"("headers":{"User-Agent":["curl/7.82.0"],"X-Api-Key":["k1","k2"]},)"
    R"("tls":{"resumed":false}},"bytes_read":0,"user_id":"","duration":1.5,"size":10900,)"
    R"("status":200,"resp_headers":{"Server":["Caddy"]}})";

TEST_F(JsonLines, ReadsCaddy) {
  ASSERT_EQ(parse("caddy", kCaddy), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight) << "ts is the end";
  EXPECT_EQ(record_.client, "192.0.2.1") << "not remote_ip, which is the proxy";
  EXPECT_EQ(record_.method, "GET");
  EXPECT_EQ(record_.target, "/a?b=c");
  EXPECT_EQ(record_.status, 200);
  EXPECT_EQ(record_.bytes, 10'900u);
  EXPECT_EQ(record_.user_agent, "curl/7.82.0");
  EXPECT_EQ(header("x-api-key"), "k1");
  EXPECT_EQ(detected(kCaddy), "caddy");
  EXPECT_EQ(parse("caddy", R"({"level":"info","ts":1525046401.5,"msg":"serving"})"),
            Parsed::nothing);
}

TEST_F(JsonLines, ReadsTraefik) {
  const std::string_view line =
      R"({"ClientAddr":"192.0.2.1:5555","ClientHost":"192.0.2.1","ClientUsername":"-",)"
      R"("DownstreamContentSize":12,"DownstreamStatus":429,"Duration":1500000,)"
      R"("RequestMethod":"POST","RequestPath":"/x","StartUTC":"2018-04-30T00:00:00.25Z",)"
      R"("level":"info","msg":"","time":"2018-04-30T00:00:01Z"})";
  ASSERT_EQ(parse("traefik", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 250'000'000);
  EXPECT_EQ(record_.duration_ns, 1'500'000);
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(record_.status, 429);
  EXPECT_TRUE(record_.attributes().empty());
  EXPECT_EQ(detected(line), "traefik");
}

TEST_F(JsonLines, ReadsEnvoyAndWhatItRefused) {
  const std::string_view line =
      R"({"start_time":"2018-04-30T00:00:00.000Z","method":"GET","path":"/p?q","protocol":"HTTP/2",)"
      R"("response_code":429,"response_flags":"RL","bytes_sent":18,"duration":2,)"
      R"("user_agent":null,"downstream_remote_address":"192.0.2.1:0"})";
  ASSERT_EQ(parse("envoy-json", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight);
  EXPECT_TRUE(record_.limited);
  EXPECT_EQ(record_.target, "/p?q");
  EXPECT_EQ(record_.user_agent, "");
  EXPECT_EQ(detected(line), "envoy-json");
}

TEST_F(JsonLines, ReadsCloudflare) {
  for (const char* time : {"\"2018-04-30T00:00:00Z\"", "1525046400", "1525046400000000000"}) {
    const std::string line =
        std::string(R"({"ClientIP":"2001:db8::1","ClientRequestHost":"e.org",)") +
        R"("ClientRequestMethod":"GET","ClientRequestURI":"/u?v",)" +
        R"("EdgeResponseBytes":9,"EdgeResponseStatus":200,)" + R"("EdgeStartTimestamp":)" + time +
        "}";
    ASSERT_EQ(parse("cloudflare", line), Parsed::request) << parser_->reason();
    EXPECT_EQ(record_.start_ns(), kMidnight);
    EXPECT_EQ(record_.client, "2001:db8::1");
    EXPECT_EQ(record_.target, "/u?v");
    EXPECT_EQ(detected(line), "cloudflare");
  }
}

TEST_F(JsonLines, ReadsAws) {
  const std::string_view gateway =
      R"({"requestId":"r","ip":"192.0.2.1","caller":"-","user":"-","requestTime":)"
      R"("30/Apr/2018:00:00:00 +0000","httpMethod":"GET","resourcePath":"/pets/{id}",)"
      R"("status":"200","protocol":"HTTP/1.1","responseLength":"5"})";
  ASSERT_EQ(parse("aws-api-gateway", gateway), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight);
  EXPECT_EQ(record_.target, "/pets/{id}");
  EXPECT_EQ(record_.status, 200);
  EXPECT_EQ(detected(gateway), "aws-api-gateway");

  const std::string_view waf =
      R"({"timestamp":1525046400000,"formatVersion":1,"action":"BLOCK",)"
      R"("terminatingRuleType":"RATE_BASED","httpRequest":{"clientIp":"192.0.2.1",)"
      R"("headers":[{"name":"Host","value":"h"},{"name":"User-Agent","value":"curl"}],)"
      R"("uri":"/login","args":"a=b","httpMethod":"POST"},"responseCodeSent":403})";
  ASSERT_EQ(parse("aws-waf", waf), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight);
  EXPECT_TRUE(record_.limited);
  EXPECT_EQ(record_.user_agent, "curl");
  EXPECT_EQ(record_.target, "/login?a=b");
  EXPECT_EQ(record_.status, 403);
  EXPECT_EQ(detected(waf), "aws-waf");

  const std::string_view trail =
      R"({"eventVersion":"1.05","userIdentity":{"arn":"arn:aws:iam::1:user/ann"},)"
      R"("eventTime":"2018-04-30T00:00:00Z","eventSource":"ec2.amazonaws.com",)"
      R"("eventName":"RunInstances","sourceIPAddress":"192.0.2.1","userAgent":"cli",)"
      R"("errorCode":"RequestLimitExceeded"})";
  ASSERT_EQ(parse("aws-cloudtrail", trail), Parsed::request) << parser_->reason();
  EXPECT_TRUE(record_.limited);
  EXPECT_EQ(record_.target, "RunInstances");
  ASSERT_EQ(record_.attributes().size(), 1u);
  EXPECT_EQ(record_.attributes()[0].value, "arn:aws:iam::1:user/ann");
  EXPECT_EQ(detected(trail), "aws-cloudtrail");
}

TEST_F(JsonLines, ReadsTokens) {
  const std::string_view line =
      R"({"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]})";
  ASSERT_EQ(parse("mooncake", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), 27'482'000'000);
  ASSERT_EQ(record_.costs().size(), 1u);
  EXPECT_EQ(record_.costs()[0].unit, "tokens");
  EXPECT_EQ(record_.costs()[0].cost, 7'007u);
  EXPECT_EQ(detected(line), "mooncake");
  ASSERT_EQ(
      parse("json",
            R"({"time":"2018-04-30T00:00:00Z","attributes":[{"key":"http.request.method",)"
            R"("value":{"stringValue":"PUT"}},{"key":"url.path","value":{"stringValue":"/o"}},)"
            R"({"key":"http.response.status_code","value":{"intValue":"201"}}]})"),
      Parsed::request)
      << parser_->reason();
  EXPECT_EQ(record_.method, "PUT");
  EXPECT_EQ(record_.target, "/o");
  EXPECT_EQ(record_.status, 201);
}

TEST_F(JsonLines, ReadsNginxAndItsTimeIsTheEnd) {
  const std::string_view line =
      R"({"time":"2018-04-30T00:00:01.500000Z","remote_addr":"192.0.2.1","request_method":"GET",)"
      R"("request_uri":"/a","status":200,"bytes_sent":3,"request_time":1.500000,)"
      R"("http_user_agent":"x","http_x_api_key":"k","tokens":165})";
  ASSERT_EQ(parse("nginx-json", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight);
  EXPECT_EQ(header("x-api-key"), "k");
  ASSERT_EQ(record_.costs().size(), 1u);
  EXPECT_EQ(record_.costs()[0].cost, 165u);
  EXPECT_EQ(detected(line), "nginx-json");
}

TEST_F(JsonLines, AMapOfTheUserSaysWhatIsWhat) {
  ASSERT_EQ(parse("auto", R"({"at":{"ms":1525046400000},"who":["192.0.2.1","x"],"a.b":"/flat"})",
                  "time_ms=at.ms,client=who,target=a.b"),
            Parsed::request)
      << parser_->reason();
  EXPECT_EQ(record_.time_ns, kMidnight);
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(record_.target, "/flat") << "a name with a dot may also be one member's";
  // The first name that the line has a value for.
  for (const char* line :
       {R"({"t":1525046400,"a":"1.1.1.1","b":"2.2.2.2"})",
        R"({"b":"2.2.2.2","a":"1.1.1.1","t":1525046400})",
        R"({"b":"1.1.1.1","a":null,"t":1525046400})", R"({"b":"1.1.1.1","a":"-","t":1525046400})",
        R"({"t":1525046400,"a":"1.1.1.1","a":"3.3.3.3"})"}) {
    ASSERT_EQ(parse("json", line, "time=t,client=a,client=b"), Parsed::request);
    EXPECT_EQ(record_.client, "1.1.1.1") << line;
  }
}

TEST_F(JsonLines, SaysWhyALineIsRejected) {
  EXPECT_EQ(reason(R"({"t":1,"s":200,"a":1,"b":2})"), "");
  EXPECT_EQ(reason(R"({"t":1,"s":"two"})"), "the status is no number of three digits");
  EXPECT_EQ(reason(R"({"t":1e9})"), "the time is not in the form that the format has");
  EXPECT_EQ(reason(R"({"t":-1.5})"), "the time is not in the form that the format has");
  EXPECT_EQ(reason(R"({"s":200})"), "no time");
  EXPECT_EQ(reason(R"({"t":1,"a":18446744073709551615,"b":1})"),
            "more costs than a request can have");
  EXPECT_EQ(reason(R"({"t":1,"a":1.5})"), "a cost is no whole number");
  EXPECT_EQ(reason(R"([{"t":1}])"), "the line is no JSON object");
  EXPECT_EQ(reason("192.0.2.1 - -"), "the line is no JSON object");
  EXPECT_EQ(reason(R"({"t":1} {"t":2})"), "more stands behind the JSON object");
  for (const char* line : {R"({"t":1)", R"({"t":1,})", R"({"t":1,"x":tru})", R"({"t":1,"x":"\q"})",
                           R"({"t":1,"x":01})", R"({"t":1,"x":[1,2})", "{\"t\":1,\"x\":\"\xff\"}",
                           R"({"t":1,"x":"a})", R"({"t" 1})", R"({"t":1 "x":2})"}) {
    EXPECT_EQ(reason(line), "the line is no JSON") << line;
  }
  EXPECT_EQ(reason(R"({"t":1,"x":)" + std::string(100, '[') + std::string(100, ']') + "}"),
            "objects lie in objects more than 32 deep");
  EXPECT_EQ(parse("json", "  "), Parsed::nothing);
  EXPECT_EQ(reason("\xEF\xBB\xBF{\"t\":1}"), "") << "a byte order mark is no text";
}

TEST_F(JsonLines, AFieldMapIsForJsonLines) {
  const auto made = make_parser("combined", "time=ts");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("--log-format json"), std::string::npos);
}

}  // namespace
}  // namespace weir::traffic
