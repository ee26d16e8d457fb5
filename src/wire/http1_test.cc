#include "wire/http1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace weir::wire {
namespace {

using namespace std::string_view_literals;
using Status = Http1Parser::Status;

void feed(Http1Parser& parser, std::string_view bytes) {
  const std::span<char> space = parser.prepare(bytes.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  parser.commit(bytes.size());
}

// What came out of a stream, as text that can be compared.
struct Transcript {
  std::vector<std::string> events;

  // False at the first error.
  bool drain(Http1Parser& parser) {
    for (;;) {
      switch (parser.next()) {
        case Status::need_more:
          return true;
        case Status::send_continue:
          events.emplace_back("continue");
          break;
        case Status::request:
          events.push_back(describe(parser.request()));
          break;
        case Status::error:
          events.push_back("error " + std::to_string(parser.error().status));
          return false;
      }
    }
  }
  static std::string describe(const HttpRequest& r) {
    std::string text(r.method);
    text += ' ';
    text += r.target;
    text += ' ' + std::to_string(r.version) + (r.keep_alive ? " keep" : " close");
    for (const HttpField& f : r.fields) {
      text += " [" + std::string(f.name) + "=" + std::string(f.value) + "]";
    }
    text += " <" + std::string(r.body) + ">";
    return text;
  }
};

std::vector<std::string> parse(std::string_view bytes, const HttpLimits& limits = {}) {
  Http1Parser parser(limits);
  Transcript t;
  feed(parser, bytes);
  t.drain(parser);
  return t.events;
}

TEST(Http1Parser, GivesMethodTargetFieldsAndBody) {
  EXPECT_THAT(parse("POST /v1/check?x=1 HTTP/1.1\r\nHost: a\r\nX-Key:  v w \t\r\nX-Empty:\r\n"
                    "Content-Length: 5\r\n\r\nhello"),
              testing::ElementsAre("POST /v1/check?x=1 11 keep [Host=a] [X-Key=v w] [X-Empty=] "
                                   "[Content-Length=5] <hello>"));
}

TEST(Http1Parser, GivesPipelinedRequestsInOrder) {
  EXPECT_THAT(
      parse("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n"
            "POST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nxGET /d HTTP/1.0\r\n\r\n"),
      testing::ElementsAre("GET /a 11 keep [Host=h] <>", "GET /b 11 keep [Host=h] <>",
                           "POST /c 11 keep [Host=h] [Content-Length=1] <x>",
                           "GET /d 10 close <>"));
}

TEST(Http1Parser, UndoesTheChunkedCoding) {
  EXPECT_THAT(parse("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
                    "5;a=b\r\nhello\r\n01\r\n!\r\n0\r\nX-Trailer: ignored\r\n\r\n"
                    "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"),
              testing::ElementsAre("POST / 11 keep [Host=h] [Transfer-Encoding=Chunked] <hello!>",
                                   "GET /next 11 keep [Host=h] <>"));
}

struct Accepted {
  const char* name;
  std::string_view bytes;
  const char* event;
};

class Http1Accepts : public testing::TestWithParam<Accepted> {};

TEST_P(Http1Accepts, TheRequest) {
  EXPECT_THAT(parse(GetParam().bytes), testing::ElementsAre(GetParam().event));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Http1Accepts,
    testing::ValuesIn(std::vector<Accepted>{
        {"Http10WithoutHost", "GET / HTTP/1.0\r\n\r\n", "GET / 10 close <>"},
        {"Http10KeepAlive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
         "GET / 10 keep [Connection=Keep-Alive] <>"},
        {"ConnectionClose", "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, close\r\n\r\n",
         "GET / 11 close [Host=h] [Connection=x, close] <>"},
        {"EmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / 11 keep [Host=] <>"},
        {"HostAndPort", "GET / HTTP/1.1\r\nHost: a-1.Ex_%41~:80\r\n\r\n",
         "GET / 11 keep [Host=a-1.Ex_%41~:80] <>"},
        {"HostAndNoPort", "GET / HTTP/1.1\r\nHost: h:\r\n\r\n", "GET / 11 keep [Host=h:] <>"},
        {"HostOfFour", "GET / HTTP/1.1\r\nHost: 192.0.2.1:1\r\n\r\n",
         "GET / 11 keep [Host=192.0.2.1:1] <>"},
        {"HostOfSix", "GET / HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n",
         "GET / 11 keep [Host=[2001:db8::1]:8080] <>"},
        {"HostOfAFormToCome", "GET / HTTP/1.1\r\nHost: [v1.a:b]\r\n\r\n",
         "GET / 11 keep [Host=[v1.a:b]] <>"},
        {"OneEmptyLineBefore", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
         "GET / 11 keep [Host=h] <>"},
        {"AbsoluteForm", "GET http://h:80/p?q HTTP/1.1\r\nHost: h\r\n\r\n",
         "GET /p?q 11 keep [Host=h] <>"},
        {"AbsoluteFormWithoutPath", "GET HTTPS://h HTTP/1.1\r\nHost: h\r\n\r\n",
         "GET / 11 keep [Host=h] <>"},
        {"AsteriskForm", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * 11 keep [Host=h] <>"},
        {"UnknownMethod", "BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n", "BREW /pot 11 keep [Host=h] <>"},
        {"RawUtf8AndEscapesInTheTarget", "GET /\xc3\xa9%zz#f HTTP/1.1\r\nHost: h\r\n\r\n",
         "GET /\xc3\xa9%zz#f 11 keep [Host=h] <>"},
        {"ZeroLength", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
         "POST / 11 keep [Host=h] [Content-Length=0] <>"},
        {"RepeatedOtherField", "GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\na: 2\r\n\r\n",
         "GET / 11 keep [Host=h] [A=1] [a=2] <>"},
        {"UnderscoreKept", "GET / HTTP/1.1\r\nHost: h\r\nX_Key: 1\r\n\r\n",
         "GET / 11 keep [Host=h] [X_Key=1] <>"},
    }),
    [](const auto& test) { return test.param.name; });

struct Refused {
  const char* name;
  std::string_view bytes;
  int status;
};

class Http1Refuses : public testing::TestWithParam<Refused> {};

TEST_P(Http1Refuses, TheRequest) {
  const std::string error = "error " + std::to_string(GetParam().status);
  EXPECT_THAT(parse(GetParam().bytes), testing::ElementsAre(error));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Http1Refuses,
    testing::ValuesIn(std::vector<Refused>{
        {"LengthAndChunked",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
         400},
        {"ChunkedAndLength",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
         400},
        {"TwoLengths",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
        {"TwoEqualLengths",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
        {"LengthList", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\nabc", 400},
        {"SignedLength", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc", 400},
        {"NegativeLength", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc", 400},
        {"HexLength", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x3\r\n\r\nabc", 400},
        {"EmptyLength", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", 400},
        {"LengthBeyond64Bits",
         "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551617\r\n\r\n", 400},
        {"BareLineFeeds", "GET / HTTP/1.1\nHost: h\n\n", 400},
        {"BareLineFeedInTheMiddle", "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n", 400},
        {"BareCarriageReturn", "GET / HTTP/1.1\r\nHost: h\rA: b\r\n\r\n", 400},
        {"LineFeedAtTheStart", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"TwoEmptyLinesBefore", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"SpaceBeforeColon", "GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
        {"FoldedField", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", 400},
        {"FoldedByTab", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n", 400},
        {"SpaceBeforeTheFirstField", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
        {"NoColon", "GET / HTTP/1.1\r\nHost: h\r\nnonsense\r\n\r\n", 400},
        {"EmptyName", "GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n", 400},
        {"NulInAValue", "GET / HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n"sv, 400},
        {"NulInTheTarget", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"sv, 400},
        {"MissingHost", "GET / HTTP/1.1\r\nA: b\r\n\r\n", 400},
        {"HostWithASpace", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
        {"HostWithASlash", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
        {"HostWithAUser", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
        {"HostInRawUtf8", "GET / HTTP/1.1\r\nHost: \xc3\xa9\r\n\r\n", 400},
        {"HostWithHalfAnEscape", "GET / HTTP/1.1\r\nHost: a%2\r\n\r\n", 400},
        {"HostWithAWordForAPort", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400},
        {"HostWithTwoPorts", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", 400},
        {"HostOfSixWithoutBrackets", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", 400},
        {"HostOfAnOpenBracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
        {"HostOfNoSix", "GET / HTTP/1.1\r\nHost: [1:2]\r\n\r\n", 400},
        {"HostBehindTheBracket", "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n", 400},
        {"BadHostHttp10", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", 400},
        {"TwoHosts", "GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n", 400},
        {"TwoHostsHttp10", "GET / HTTP/1.0\r\nHost: h\r\nhost: i\r\n\r\n", 400},
        {"CodingGzip", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
        {"CodingGzipChunked",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
        {"ChunkedTwice",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
         "chunked\r\n\r\n",
         501},
        {"ChunkedIdentity",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 501},
        {"VerticalTabChunked", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \vchunked\r\n\r\n",
         400},
        {"ChunkedHttp10", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
        {"NoTarget", "GET HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"RelativeTarget", "GET v1/auth HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"AsteriskForGet", "GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"OtherScheme", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"AbsoluteFormWithoutHost", "GET http:///p HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"Connect", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"SpaceInTheTarget", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
        {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"Http12", "GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505},
        {"VersionInLowerCase", "GET / http/1.1\r\nHost: h\r\n\r\n", 400},
        {"Http09", "GET /\r\n\r\n", 400},
        {"Tls", "\x16\x03\x01\x02", 400},
        {"OtherExpectation", "POST / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n", 417},
        {"ChunkSizeSigned",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n",
         400},
        {"ChunkSizeMissing",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n", 400},
        {"ChunkSizeHuge",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
         400},
        {"ChunkLongerThanItsSize",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
         400},
        {"ChunkBareLineFeed",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", 400},
        {"TrailerWithoutColon",
         "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx\r\n\r\n", 400},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Http1Parser, SaysWhatIsWrongWithALength) {
  const auto detail = [](const std::string& fields) {
    Http1Parser parser;
    feed(parser, "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\nabcd");
    EXPECT_EQ(parser.next(), Http1Parser::Status::error) << fields;
    return parser.error().detail;
  };
  constexpr std::string_view kMany = "The request has more than one Content-Length field.";
  EXPECT_EQ(detail("Content-Length: 3\r\nContent-Length: 4\r\n"), kMany);
  EXPECT_EQ(detail("Content-Length: 3\r\nX: y\r\ncontent-length: 3\r\n"), kMany);
  EXPECT_EQ(detail("Content-Length: +3\r\n"), "The Content-Length field is no whole number.");
}

TEST(Http1Parser, RefusesMoreThanItsLimits) {
  const HttpLimits limits{.header_bytes = 100, .body_bytes = 10, .fields = 3};
  const auto error = [&](const std::string& bytes) { return parse(bytes, limits).back(); };
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(error("GET /" + std::string(200, 'a')), "error 414");
  EXPECT_EQ(error(head + "A: " + std::string(200, 'a')), "error 431");
  EXPECT_EQ(error(head + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n"), "error 431");
  EXPECT_EQ(error(head + "Content-Length: 11\r\n\r\n"), "error 413");
  EXPECT_EQ(error(head + "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\n"), "error 413");
  EXPECT_EQ(error(head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(300, 'x')),
            "error 400");
  EXPECT_EQ(error(head + "Content-Length: 10\r\n\r\n0123456789"),
            "POST / 11 keep [Host=h] [Content-Length=10] <0123456789>");
}

TEST(Http1Parser, AcceptsAHeadOfExactlyTheLimit) {
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\nA: ";
  head += std::string(100 - head.size() - 4, 'a') + "\r\n\r\n";
  ASSERT_EQ(head.size(), 100u);
  EXPECT_THAT(parse(head, {.header_bytes = 100}),
              testing::ElementsAre(testing::StartsWith("GET /")));
  EXPECT_THAT(parse(head, {.header_bytes = 99}), testing::ElementsAre("error 431"));
}

TEST(Http1Parser, AsksForTheBodyOnce) {
  Http1Parser parser;
  Transcript t;
  feed(parser, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(t.drain(parser));
  EXPECT_THAT(t.events, testing::ElementsAre("continue"));
  feed(parser, "o");
  ASSERT_TRUE(t.drain(parser));
  feed(parser, "k");
  ASSERT_TRUE(t.drain(parser));
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_THAT(t.events[1], testing::EndsWith("<ok>"));
  EXPECT_TRUE(parser.idle());
}

// The network may cut a stream anywhere: every cut gives what the whole gives.
TEST(Http1Parser, GivesTheSameAtEverySplitPoint) {
  const std::string streams[] = {
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): each is some lines long
      "\r\nGET /a?b HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\nPOST /c HTTP/1.1\r\nHost: h\r\n"
      "Content-Length: 3\r\n\r\nxyzGET http://h HTTP/1.0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n"
      "0\r\nT: v\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n folded\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n",
      "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
  };
  for (const std::string& stream : streams) {
    const std::vector<std::string> whole = parse(stream);
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      Http1Parser parser;
      Transcript t;
      feed(parser, std::string_view(stream).substr(0, cut));
      if (t.drain(parser)) {
        feed(parser, std::string_view(stream).substr(cut));
        t.drain(parser);
      }
      EXPECT_EQ(t.events, whole) << "cut at " << cut;
    }
    Http1Parser parser;
    Transcript bytewise;
    for (const char c : stream) {
      feed(parser, std::string_view(&c, 1));
      if (!bytewise.drain(parser)) break;
    }
    EXPECT_EQ(bytewise.events, whole);
  }
}

TEST(Http1Parser, HoldsNoMoreThanALongChunkedBodyNeeds) {
  Http1Parser parser({.header_bytes = 1024, .body_bytes = 4096});
  Transcript t;
  feed(parser, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::size_t most = 0;
  for (int i = 0; i < 4096; ++i) {
    feed(parser, "1\r\nx\r\n");
    ASSERT_TRUE(t.drain(parser));
    most = std::max(most, parser.prepare(1).size());
  }
  feed(parser, "0\r\n\r\n");
  ASSERT_TRUE(t.drain(parser));
  EXPECT_THAT(t.events,
              testing::ElementsAre(testing::EndsWith("<" + std::string(4096, 'x') + ">")));
  EXPECT_LT(most, 8u * 1024);
}

TEST(FindField, CountsAnyCaseAndNeverFoldsUnderscores) {
  const std::vector<HttpField> fields{
      {"x-original-uri", "/a"}, {"X_Original_URI", "/b"}, {"X-Original-URI", "/c"}};
  EXPECT_EQ(find_field(fields, "X-Original-URI").count, 2u);
  EXPECT_EQ(find_field(fields, "X-Original-URI").value, "/a");
  EXPECT_EQ(find_field(fields, "X-Original-Method").count, 0u);
}

}  // namespace
}  // namespace weir::wire
