// nginx's log_format and Apache's LogFormat: what of a line becomes which field.
#include "traffic/format/pattern.h"

#include <gtest/gtest.h>

#include <string>

#include "traffic/format/formats.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kMidnight = 1'525'046'400'000'000'000;  // 2018-04-30T00:00:00Z

class PatternTest : public ::testing::Test {
 protected:
  Parsed parse(std::string_view format, std::string_view line) {
    auto made = make_parser(format, "");
    EXPECT_TRUE(made) << format << ": " << (made ? "" : made.error().text());
    if (!made) return Parsed::rejected;
    parser_ = std::move(*made);
    line_ = line;
    return parser_->parse(line_, record_);
  }
  std::string error(std::string_view format) {
    const auto made = make_parser(format, "");
    return made ? "" : made.error().text();
  }

  std::unique_ptr<Parser> parser_;
  std::string line_;
  Record record_;
};

TEST_F(PatternTest, ReadsNginxVariables) {
  ASSERT_EQ(parse("$remote_addr $remote_user $msec \"$request\" $status $bytes_sent $request_time "
                  "\"$http_user_agent\" $host $http_x_api_key $limit_req_status $other",
                  "192.0.2.1 ann 1525046401.500 \"GET /a?b=c HTTP/1.1\" 503 12 1.500 \"curl\" "
                  "example.org k1 REJECTED anything"),
            Parsed::request);
  EXPECT_EQ(record_.client, "192.0.2.1");
  EXPECT_EQ(record_.method, "GET");
  EXPECT_EQ(record_.target, "/a?b=c");
  EXPECT_EQ(record_.start_ns(), kMidnight) << "the time of the end less the duration";
  EXPECT_EQ(record_.status, 503);
  EXPECT_EQ(record_.bytes, 12u);
  EXPECT_EQ(record_.user_agent, "curl");
  EXPECT_TRUE(record_.limited);
  ASSERT_EQ(record_.headers().size(), 2u);
  EXPECT_EQ(record_.headers()[0].name, "host");
  EXPECT_EQ(record_.headers()[1].name, "x-api-key");
  EXPECT_EQ(record_.headers()[1].value, "k1");
  ASSERT_EQ(record_.attributes().size(), 1u);
  EXPECT_EQ(record_.attributes()[0].value, "ann");
}

TEST_F(PatternTest, ReadsAWholeNginxDirective) {
  ASSERT_EQ(parse("log_format main escape=json '$remote_addr [$time_iso8601] '\n"
                  "                 '\"$uri$is_args$args\"';",
                  "::1 [2018-04-30T00:00:00+00:00] \"/a\\\"b?c\""),
            Parsed::request);
  EXPECT_EQ(record_.client, "::1");
  EXPECT_EQ(record_.target, "/a\"b?c");
  EXPECT_EQ(record_.time_ns, kMidnight);
}

TEST_F(PatternTest, ReadsApacheDirectives) {
  ASSERT_EQ(
      parse("%v:%p %a %{X-Forwarded-For}i %u %{usec}t %m \"%U%q\" %>s %O %D \"%{User-agent}i\"",
            "example.org:443 2001:db8::1 198.51.100.7 - 1525046400000000 POST "
            "\"/a?b\" 429 17 2500 \"x \\\"y\\\"\""),
      Parsed::request);
  EXPECT_EQ(record_.client, "2001:db8::1");
  EXPECT_EQ(record_.method, "POST");
  EXPECT_EQ(record_.target, "/a?b");
  EXPECT_EQ(record_.start_ns(), kMidnight) << "%t is when the request came";
  EXPECT_EQ(record_.duration_ns, 2'500'000);
  EXPECT_EQ(record_.status, 429);
  EXPECT_EQ(record_.user_agent, "x \"y\"");
  EXPECT_TRUE(record_.attributes().empty()) << "`-` is nobody";
}

TEST_F(PatternTest, ReadsAWholeApacheDirective) {
  ASSERT_EQ(parse("LogFormat \"%h %l %u %t \\\"%r\\\" %>s %b\" common",
                  "host.example - - [29/Apr/2018:22:00:00 -0200] \"GET / HTTP/1.0\" 200 -"),
            Parsed::request);
  EXPECT_EQ(record_.client, "host.example");
  EXPECT_EQ(record_.time_ns, kMidnight);
  EXPECT_EQ(record_.bytes, kNoBytes);
}

// The format of a user is the whole line; a named one may have more behind it, as servers often do.
TEST_F(PatternTest, MoreOnTheLineIsRejectedOnlyWhereTheUserGaveTheFormat) {
  const char* line =
      "a - - [29/Apr/2018:22:00:00 -0200] \"GET / HTTP/1.0\" 200 1 \"-\" \"x\" \"-\"";
  EXPECT_EQ(parse("combined", line), Parsed::request);
  EXPECT_EQ(parse("%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"", line),
            Parsed::rejected);
  EXPECT_EQ(parser_->reason(), "there is more on the line than the format has");
  EXPECT_EQ(parse("%h %l %u %t \"%r\" %>s %b", line), Parsed::rejected);
  EXPECT_EQ(parser_->reason(), "there is more on the line than the format has");
  EXPECT_EQ(parse("common", line), Parsed::request);
  EXPECT_EQ(
      parse("%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" \"%{Cookie}i\"", line),
      Parsed::request);
}

struct Odd {
  const char* request;
  const char* method;
  const char* target;
};

TEST_F(PatternTest, ARequestLineThatIsNoneIsStillARequest) {
  for (const Odd& odd : {
           Odd{"", "", ""},
           Odd{"-", "", ""},
           Odd{"\\x16\\x03\\x01\\x00", "", ""},
           Odd{"GET /a b HTTP/1.1", "GET", "/a b"},
           Odd{"GET /a", "GET", "/a"},
           Odd{"GET  HTTP/1.1", "", ""},
           Odd{"GET /\\\"x\\\" HTTP/1.1", "GET", "/\"x\""},
           Odd{"quit", "", ""},
           Odd{"CONNECT example.org:443 HTTP/1.1", "CONNECT", "example.org:443"},
       }) {
    const std::string line = "192.0.2.1 - - [29/Apr/2018:22:00:00 -0200] \"" +
                             std::string(odd.request) + "\" 400 0 \"-\" \"-\"";
    ASSERT_EQ(parse("combined", line), Parsed::request) << line << parser_->reason();
    EXPECT_EQ(record_.method, odd.method) << line;
    EXPECT_EQ(record_.target, odd.target) << line;
  }
}

TEST_F(PatternTest, RejectsALineWithTheReason) {
  const std::string good =
      "192.0.2.1 - - [29/Apr/2018:22:00:00 -0200] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"";
  struct Bad {
    std::size_t from;
    std::size_t size;
    const char* with;
    const char* reason;
  };
  const auto at = [&](const char* text) { return good.find(text); };
  for (const Bad& bad : {
           Bad{at("Apr"), 3, "Foo", "the time is not in the form that the format has"},
           Bad{at("29/Apr"), 26, "-", "no time"},
           Bad{at("200 "), 3, "20x", "the status is no number of three digits"},
           Bad{at("200 "), 3, "2000", "the status is no number of three digits"},
           Bad{at(" 1 ") + 1, 1, "1.5", "the bytes sent are no whole number"},
           Bad{good.size() - 1, 1, "", "the line ends before the format does"},
           Bad{at("\" 200"), 1, "\\\"", "the line ends before the format does"},
           Bad{0, good.size(), "junk", "the line ends before the format does"},
       }) {
    std::string line = good;
    line.replace(bad.from, bad.size, bad.with);
    EXPECT_EQ(parse("combined", line), Parsed::rejected) << line;
    EXPECT_EQ(parser_->reason(), bad.reason) << line;
  }
  EXPECT_EQ(parse("combined", ""), Parsed::nothing);
}

TEST_F(PatternTest, RefusesAFormatThatCannotBeRead) {
  EXPECT_NE(error("$remote_addr$status").find("nothing between $remote_addr and $status"),
            std::string::npos);
  EXPECT_NE(error("%h%l").find("nothing between %h and %l"), std::string::npos);
  EXPECT_NE(error("$").find("followed by no variable"), std::string::npos);
  EXPECT_NE(error("%{a").find("has no `}`"), std::string::npos);
  EXPECT_NE(error("%").find("followed by no letter"), std::string::npos);
  EXPECT_NE(error("%h %{%d}t").find("is in a form that is not read"), std::string::npos);
  EXPECT_NE(error("log_format x '$a").find("no closing quote"), std::string::npos);
  EXPECT_NE(error("combind").find("did you mean 'combined'?"), std::string::npos);
  EXPECT_NE(error("%%").find("no directive"), std::string::npos);
}

}  // namespace
}  // namespace weir::traffic
