// Formats whose lines are words or columns: what of a line becomes which field, what is rejected.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "traffic/format/formats.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMidnight = 1'525'046'400'000'000'000;  // 2018-04-30T00:00:00Z
constexpr std::int64_t kMs = 1'000'000;

class Columns : public ::testing::Test {
 protected:
  void use(std::string_view format, std::string_view fields = "") {
    auto made = make_parser(format, fields);
    ASSERT_TRUE(made) << format << ": " << (made ? "" : made.error().text());
    parser_ = std::move(*made);
  }
  Parsed parse(std::string_view line) {
    line_ = line;
    return parser_->parse(line_, record_);
  }
  Parsed parse(std::string_view format, std::string_view line) {
    use(format);
    return parse(line);
  }
  std::string reason(std::string_view line) {
    return parse(line) == Parsed::rejected ? std::string(parser_->reason()) : "";
  }
  static std::string detected(const std::vector<std::string_view>& lines) {
    const auto found = detect(lines);
    return found ? found->name : found.error().text();
  }
  std::string request() const {
    return std::string(record_.method) + " " + std::string(record_.target);
  }

  std::unique_ptr<Parser> parser_;
  std::string line_;
  Record record_;
};

TEST_F(Columns, ReadsHaproxyBehindSyslog) {
  const std::string_view line =
      "Apr 30 00:00:01 lb haproxy[14389]: 2001:db8::1:33317 [30/Apr/2018:00:00:00.655] http-in~ "
      "static/srv1 10/0/30/69/+109 429 +2750 - - PR-- 1/1/1/1/0 0/0 {1wt.eu|\"x\"} {} "
      "\"GET /a\"b?c HTTP/1.1\"";
  ASSERT_EQ(parse("haproxy", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 655 * kMs) << "the time of the accept";
  EXPECT_EQ(record_.duration_ns, 109 * kMs);
  EXPECT_EQ(record_.client, "2001:db8::1");
  EXPECT_EQ(request(), "GET /a\"b?c");
  EXPECT_EQ(record_.status, 429);
  EXPECT_EQ(record_.bytes, 2750u);
  EXPECT_EQ(detected({line}), "haproxy");
  EXPECT_EQ(parse("192.0.2.1:1 [30/Apr/2018:00:00:00.655] in in/<NOSRV> -1/-1/-1/-1/0 400 187 - - "
                  "PR-- 0/0/0/0/0 0/0 \"<BADREQ>\""),
            Parsed::request);
  EXPECT_EQ(request(), " ") << "no request could be read, but one was sent";
  EXPECT_EQ(parse("lb haproxy[1]: 192.0.2.1:1 [30/Apr/2018:00:00:00.655] tcp s/s 1/2/3 9 --"),
            Parsed::nothing);
  EXPECT_EQ(reason("Server a/b is UP"), "the line does not begin as the format does");
}

TEST_F(Columns, ReadsEnvoyInItsShortAndLongForm) {
  for (const char* details : {"", "via_upstream ", "via_upstream - \"-\" "}) {
    const std::string line =
        std::string("[2018-04-30T00:00:00.310Z] \"POST /api/v1 HTTP/2\" 429 RL,UH ") + details +
        "154 7 226 100 \"10.0.35.28, 192.0.2.1\" \"nsq \\\"2\\\"\" \"cc21d9b0\" \"locations\" "
        "\"tcp://10.0.2.1:80\"";
    ASSERT_EQ(parse("envoy", line), Parsed::request) << parser_->reason() << line;
    EXPECT_EQ(record_.start_ns(), kMidnight + 310 * kMs);
    EXPECT_EQ(record_.client, "192.0.2.1") << "what Envoy itself wrote, not what the client did";
    EXPECT_EQ(request(), "POST /api/v1");
    EXPECT_EQ(record_.bytes, 7u) << line;
    EXPECT_EQ(record_.duration_ns, 226 * kMs);
    EXPECT_EQ(record_.user_agent, "nsq \"2\"");
    EXPECT_TRUE(record_.limited);
    EXPECT_EQ(record_.headers()[0].value, "locations");
    EXPECT_EQ(detected({line}), "envoy");
  }
  EXPECT_EQ(reason("[2018-04-30T00:00:00Z] \"GET / HTTP/2\" 200 - 1 2"),
            "the line ends before the format does");
  EXPECT_EQ(reason("[2018-04-30T00:00:00Z] \"GET / HTTP/2"), "a quote or a bracket has no end");
}

TEST_F(Columns, ReadsAwsLoadBalancersAndWhenTheRequestCame) {
  const std::string_view line =
      "https 2018-04-30T00:00:01.186641Z app/my/50dc 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 "
      "200 200 0 57 \"GET https://www.example.com:443/a?b HTTP/1.1\" \"curl/7.46.0\" "
      "ECDHE-RSA TLSv1.2 arn:aws:x \"Root=1-58\" \"www.example.com\" \"arn:aws:acm\" 1 "
      "2018-04-30T00:00:00.364000Z \"authenticate,forward\" \"-\" \"-\"";
  ASSERT_EQ(parse("aws-alb", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 364 * kMs);
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(request(), "GET https://www.example.com:443/a?b");
  EXPECT_EQ(record_.status, 200);
  EXPECT_EQ(record_.bytes, 57u);
  EXPECT_EQ(record_.user_agent, "curl/7.46.0");
  EXPECT_EQ(detected({line}), "aws-alb");
}

TEST_F(Columns, ReadsSquid) {
  const std::string_view line =
      "1525046400.603    310 192.0.2.1 TCP_MISS/304 1029 GET http://e.org/x ann DIRECT/192.0.2.9 -";
  ASSERT_EQ(parse("squid", line), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 293 * kMs) << "the end less the duration";
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(record_.status, 304);
  EXPECT_EQ(request(), "GET http://e.org/x");
  EXPECT_EQ(record_.attributes()[0].value, "ann");
  EXPECT_EQ(detected({line}), "squid");
}

TEST_F(Columns, LearnsFromNginxErrorsWhatItsLimiterRefused) {
  const std::string head = "2018/04/30 00:00:00 [error] 1#0: *5 ";
  const std::string tail =
      " by zone \"one\", client: 192.0.2.1, server: localhost, request: \"GET /a HTTP/1.1\", host: "
      "\"e.org\"";
  const std::string refused = head + "limiting requests, excess: 1.852" + tail;
  ASSERT_EQ(parse("nginx-error", refused), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight);
  EXPECT_TRUE(record_.limited);
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(request(), "GET /a");
  EXPECT_EQ(record_.headers()[0].value, "e.org");
  EXPECT_EQ(detected({refused}), "nginx-error");
  EXPECT_EQ(parse(head + "limiting connections" + tail), Parsed::request);
  EXPECT_TRUE(record_.limited);
  for (const char* what :
       {"limiting requests, dry run, excess: 1.852", "delaying request, excess: 1"}) {
    EXPECT_EQ(parse(head + what + tail), Parsed::request);
    EXPECT_FALSE(record_.limited) << what;
  }
  EXPECT_EQ(parse(head + "open() \"/x\" failed (2: No such file or directory)"), Parsed::nothing);
  EXPECT_EQ(reason("nonsense"), "the line does not begin as the format does");
}

TEST_F(Columns, ReadsW3cAsItsHeaderSays) {
  use("w3c");
  EXPECT_EQ(reason("2018-04-30 00:00:01 192.0.2.1"), "no #Fields: line stands before it");
  EXPECT_EQ(parse("#Software: Microsoft Internet Information Services 10.0"), Parsed::nothing);
  EXPECT_EQ(parse("#Fields: date time cs-method cs-uri-stem cs-uri-query cs-username c-ip "
                  "cs(User-Agent) sc-status time-taken"),
            Parsed::nothing);
  ASSERT_EQ(parse("2018-04-30 00:00:01 GET /a b=c - 192.0.2.1 Mozilla/5.0+(x) 200 250"),
            Parsed::request)
      << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 750 * kMs) << "thousandths, and the time is the end";
  EXPECT_EQ(request(), "GET /a?b=c");
  EXPECT_TRUE(record_.attributes().empty());
  EXPECT_EQ(reason("2018-04-30 00:00:01 GET"), "the line has fewer columns than the header");
  EXPECT_EQ(reason("2018-04-30 00:00:01 GET /a b=c - 192.0.2.1 M 200 250 x"),
            "the line has more columns than the header");
  parser_->restart();
  EXPECT_EQ(parse("#Version: 1.0"), Parsed::nothing);
  EXPECT_EQ(parse("#Fields: date time x-edge-location c-ip cs-uri-stem sc-status time-taken "
                  "x-edge-result-type"),
            Parsed::nothing);
  ASSERT_EQ(parse("2018-04-30\t00:00:01\tLAX1\t192.0.2.1\t/a\t503\t0.25\tLimitExceeded"),
            Parsed::request)
      << parser_->reason();
  EXPECT_EQ(record_.start_ns(), kMidnight + 750 * kMs) << "seconds";
  EXPECT_TRUE(record_.limited);
  EXPECT_EQ(detected({"#Version: 1.0", "#Fields: date time c-ip", "2018-04-30 00:00:01 192.0.2.1"}),
            "w3c");
}

TEST_F(Columns, ReadsCsvAsItsHeaderSays) {
  for (const char* separator : {",", ";", "\t"}) {
    use("csv");
    std::string header = "\xEF\xBB\xBFtimestamp|\"key\"|cost|other";
    std::string line = "2018-04-30T00:00:00Z|\"a \"\"b\"\"\"|3|";
    for (std::string* text : {&header, &line}) {
      for (std::size_t at; (at = text->find('|')) != std::string::npos;) {
        text->replace(at, 1, separator);
      }
    }
    EXPECT_EQ(parse(header), Parsed::nothing);
    ASSERT_EQ(parse(line), Parsed::request) << parser_->reason();
    EXPECT_EQ(record_.time_ns, kMidnight);
    EXPECT_EQ(record_.client, "a \"b\"");
    ASSERT_EQ(record_.costs().size(), 1u);
    EXPECT_EQ(record_.costs()[0].cost, 3u);
    EXPECT_EQ(detected({header, line}), "csv");
  }
  use("csv");
  EXPECT_EQ(parse("ts,key"), Parsed::nothing);
  EXPECT_EQ(reason("1525046400"), "the line has fewer columns than the header");
  EXPECT_EQ(reason("1525046400,a,b"), "the line has more columns than the header");
  EXPECT_EQ(reason("1525046400,\"a"), "a quote has no end, or text stands behind it");
  EXPECT_EQ(reason("1525046400,\"a\"b"), "a quote has no end, or text stands behind it");
  EXPECT_EQ(reason(",a"), "no time");
  EXPECT_EQ(reason("soon,a"), "the time is not in the form that the format has");
  EXPECT_EQ(parse(""), Parsed::nothing);
  use("csv", "time_ms=at,client=who,client=else");
  EXPECT_EQ(parse("at,else,who"), Parsed::nothing);
  EXPECT_EQ(parse("1525046400000,2.2.2.2,"), Parsed::request);
  EXPECT_EQ(record_.client, "2.2.2.2");
  EXPECT_EQ(record_.time_ns, kMidnight);
  use("csv", "time=none");
  EXPECT_EQ(parse("at,who"), Parsed::nothing);
  EXPECT_EQ(reason("1,2"), "no column of the header is the time: say it with --fields");
}

TEST_F(Columns, ReadsAzuresTracesOfModels) {
  use("azure-llm");
  EXPECT_EQ(parse("TIMESTAMP,ContextTokens,GeneratedTokens"), Parsed::nothing);
  ASSERT_EQ(parse("2018-04-30 00:00:00.9799600,4808,10"), Parsed::request) << parser_->reason();
  EXPECT_EQ(record_.time_ns, kMidnight + 979'960'000);
  ASSERT_EQ(record_.costs().size(), 1u);
  EXPECT_EQ(record_.costs()[0].unit, "tokens");
  EXPECT_EQ(record_.costs()[0].cost, 4818u);
  EXPECT_EQ(detected({"TIMESTAMP,ContextTokens,GeneratedTokens", "2023-11-16 18:17:03.97,4808,10"}),
            "azure-llm");
}

TEST_F(Columns, OfEveryFormatALineThatEndsEarlyIsNoTrouble) {
  for (const std::string& name : format_names()) {
    use(name);
    for (std::string_view line :
         {std::string_view("[2018-04-30T00:00:00.310Z] \"POST / HTTP/2\" 429 RL 1 7 226 1 \"a, b\" "
                           "\"n\" \"c\" \"l\" \"t\""),
          std::string_view(
              "192.0.2.1:1 [30/Apr/2018:00:00:00.655] in s/s 1/1/1/1/1 200 18 - - PR-- "
              "0/0/0/0/0 0/0 \"GET / HTTP/1.1\""),
          std::string_view("2018/04/30 00:00:00 [error] 1#0: *5 limiting requests, excess: 1 by "
                           "zone \"one\", client: 1.1.1.1, request: \"GET / HTTP/1.1\"")}) {
      for (std::size_t size = 0; size < line.size(); ++size) {
        const Parsed parsed = parse(line.substr(0, size));
        if (parsed == Parsed::rejected) {
          EXPECT_FALSE(parser_->reason().empty()) << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir::traffic
