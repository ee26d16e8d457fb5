#include "wire/resp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "wire/testing/resp_text.h"

namespace weir::wire {
namespace {

using namespace std::literals;
using Status = RespParser::Status;
using testing::to_text;

void feed(RespParser& parser, std::string_view bytes) {
  if (bytes.empty()) return;
  const std::span<char> space = parser.prepare(bytes.size());
  ASSERT_GE(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  parser.commit(bytes.size());
}

// False at an error, which is the last line then.
bool drain(RespParser& parser, std::vector<std::string>& out) {
  for (;;) {
    switch (parser.next()) {
      case Status::need_more:
        return true;
      case Status::reply:
        out.push_back(to_text(parser.reply()));
        break;
      case Status::error:
        out.push_back("error: " + std::string(parser.error()));
        return false;
    }
  }
}

std::vector<std::string> parse(std::string_view bytes, const RespLimits& limits = {}) {
  RespParser parser(limits);
  std::vector<std::string> out;
  feed(parser, bytes);
  drain(parser, out);
  return out;
}

using Lines = std::vector<std::string>;

struct Case {
  const char* name;
  std::string_view bytes;
  Lines replies;
};

// Prints the name instead of the bytes.
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Case>& valid_cases() {
  static const std::vector<Case> cases{
      {"SimpleString", "+OK\r\n", {"simple 2 <OK>"}},
      {"EmptySimpleString", "+\r\n", {"simple 0 <>"}},
      {"Error", "-ERR no such thing\r\n", {"error 17 <ERR no such thing>"}},
      {"Integer", ":1000\r\n:-5\r\n:0\r\n", {"int 1000", "int -5", "int 0"}},
      {"IntegerExtremes",
       ":9223372036854775807\r\n:-9223372036854775808\r\n",
       {"int 9223372036854775807", "int -9223372036854775808"}},
      {"BulkString", "$5\r\nhello\r\n", {"bulk 5 <hello>"}},
      {"EmptyBulkString", "$0\r\n\r\n", {"bulk 0 <>"}},
      {"BulkStringWithLineEnds", "$8\r\na\r\n$1\r\nb\r\n", {"bulk 8 <a\r\n$1\r\nb>"}},
      {"NullString", "$-1\r\n", {"null"}},
      {"NullArray", "*-1\r\n", {"null"}},
      {"Null", "_\r\n", {"null"}},
      {"EmptyArray", "*0\r\n", {"array []"}},
      {"Array", "*3\r\n:1\r\n$1\r\nx\r\n$-1\r\n", {"array [int 1; bulk 1 <x>; null; ]"}},
      {"NestedArray",
       "*2\r\n*2\r\n:1\r\n*0\r\n*1\r\n+z\r\n",
       {"array [array [int 1; array []; ]; array [simple 1 <z>; ]; ]"}},
      {"Boolean", "#t\r\n#f\r\n", {"bool 1", "bool 0"}},
      {"Real",
       ",1.5\r\n,-0.25e-3\r\n,inf\r\n,-inf\r\n,nan\r\n,10\r\n",
       {"real 3 <1.5>", "real 8 <-0.25e-3>", "real 3 <inf>", "real 4 <-inf>", "real 3 <nan>",
        "real 2 <10>"}},
      {"BigNumber",
       "(3492890328409238509324850943850943825024385\r\n",
       {"big 43 <3492890328409238509324850943850943825024385>"}},
      {"BulkError", "!10\r\nSYNTAX a\r\n\r\n", {"error 10 <SYNTAX a\r\n>"}},
      {"Verbatim", "=8\r\ntxt:abcd\r\n", {"text 4 <abcd>"}},
      {"Map",
       "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n",
       {"map [simple 1 <a>; int 1; simple 1 <b>; array [int 2; ]; ]"}},
      {"EmptyMap", "%0\r\n", {"map []"}},
      {"Set", "~2\r\n:1\r\n:2\r\n", {"set [int 1; int 2; ]"}},
      {"Push",
       ">2\r\n+message\r\n+x\r\n:1\r\n",
       {"push [simple 7 <message>; simple 1 <x>; ]", "int 1"}},
      {"AnAttributeIsDropped", "|1\r\n+ttl\r\n:3600\r\n:7\r\n", {"int 7"}},
      {"AnEmptyAttributeIsDropped", "|0\r\n*1\r\n|0\r\n:7\r\n", {"array [int 7; ]"}},
      {"AnAttributeInAnArrayIsNoItem",
       "*3\r\n:1\r\n|1\r\n+ttl\r\n*2\r\n:8\r\n:9\r\n:2\r\n:3\r\n",
       {"array [int 1; int 2; int 3; ]"}},
      {"AnAttributeBeforeANestedArray",
       "*2\r\n|1\r\n+a\r\n+b\r\n*2\r\n:1\r\n:2\r\n:3\r\n",
       {"array [array [int 1; int 2; ]; int 3; ]"}},
      {"AnAttributeAtTheEndWaitsForItsReply", ":1\r\n|1\r\n+a\r\n+b\r\n", {"int 1"}},
      {"Hello3",
       "%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n$7\r\nmodules\r\n*0\r\n",
       {"map [bulk 6 <server>; bulk 5 <redis>; bulk 5 <proto>; int 3; bulk 7 <modules>; array []; "
        "]"}},
  };
  return cases;
}

template <typename Param>
std::string name_of(const ::testing::TestParamInfo<Param>& param) {
  return param.param.name;
}

class ValidReply : public ::testing::TestWithParam<Case> {};

TEST_P(ValidReply, IsReadWhole) { EXPECT_EQ(parse(GetParam().bytes), GetParam().replies); }

TEST_P(ValidReply, IsReadHoweverItIsCut) {
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      RespParser parser;
      Lines out;
      for (const auto part :
           {bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}) {
        feed(parser, part);
        ASSERT_TRUE(drain(parser, out));
      }
      ASSERT_EQ(out, GetParam().replies) << first << " " << second;
    }
  }
}

TEST_P(ValidReply, IsReadByteByByte) {
  RespParser parser;
  Lines out;
  for (const char c : GetParam().bytes) {
    feed(parser, {&c, 1});
    ASSERT_TRUE(drain(parser, out));
  }
  EXPECT_EQ(out, GetParam().replies);
}

// Nothing comes out before the last byte is there.
TEST_P(ValidReply, IsNotReadTooEarly) {
  const std::string_view bytes = GetParam().bytes;
  const Lines cut = parse(bytes.substr(0, bytes.size() - 1));
  const Lines& whole = GetParam().replies;
  EXPECT_TRUE(
      std::equal(cut.begin(), cut.end(), whole.begin(), std::next(whole.begin(), std::ssize(cut))));
  if (GetParam().name != "AnAttributeAtTheEndWaitsForItsReply"sv) {
    EXPECT_EQ(cut.size() + 1, whole.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Resp, ValidReply, ::testing::ValuesIn(valid_cases()), name_of<Case>);

TEST(RespParser, AStreamOfEverythingIsReadInOrder) {
  std::string stream;
  Lines replies;
  for (const Case& c : valid_cases()) {
    if (c.name == "AnAttributeAtTheEndWaitsForItsReply"sv) continue;
    stream += c.bytes;
    replies.insert(replies.end(), c.replies.begin(), c.replies.end());
  }
  EXPECT_EQ(parse(stream), replies);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    RespParser parser;
    Lines out;
    feed(parser, std::string_view(stream).substr(0, cut));
    ASSERT_TRUE(drain(parser, out));
    feed(parser, std::string_view(stream).substr(cut));
    ASSERT_TRUE(drain(parser, out));
    ASSERT_EQ(out, replies) << cut;
    ASSERT_TRUE(parser.idle());
  }
}

struct BadCase {
  const char* name;
  std::string_view bytes;
  std::string_view error;
};
void PrintTo(const BadCase& c, std::ostream* out) { *out << c.name; }

class InvalidReply : public ::testing::TestWithParam<BadCase> {};

TEST_P(InvalidReply, IsAnErrorHoweverItIsCut) {
  const std::string_view bytes = GetParam().bytes;
  const Lines expected{"int 1", "error: " + std::string(GetParam().error)};
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    RespParser parser;
    Lines out;
    feed(parser, ":1\r\n");
    feed(parser, bytes.substr(0, cut));
    if (drain(parser, out)) {
      feed(parser, bytes.substr(cut));
      drain(parser, out);
    }
    ASSERT_EQ(out, expected) << cut;
    feed(parser, ":1\r\n");
    ASSERT_EQ(parser.next(), Status::error) << "an error is final";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Resp, InvalidReply,
    ::testing::Values(
        BadCase{"UnknownType", "?1\r\n", "an unknown type"},
        BadCase{"Http", "HTTP/1.1 400 Bad Request\r\n", "an unknown type"},
        BadCase{"Tls", "\x15\x03\x01\r\n", "an unknown type"},
        BadCase{"EmptyLine", "\r\n", "an unknown type"},
        BadCase{"BareLineFeed", "+OK\n", "a line feed without a carriage return"},
        BadCase{"BareCarriageReturn", "+O\rK\r\n", "a carriage return without a line feed"},
        BadCase{"EmptyNumber", ":\r\n", "a number that is none"},
        BadCase{"PlusNumber", ":+1\r\n", "a number that is none"},
        BadCase{"ZeroFirst", ":01\r\n", "a number that is none"},
        BadCase{"MinusZero", ":-0\r\n", "a number that is none"},
        BadCase{"LonelyMinus", ":-\r\n", "a number that is none"},
        BadCase{"SpaceInNumber", ": 1\r\n", "a number that is none"},
        BadCase{"NumberTooLarge", ":9223372036854775808\r\n", "a number that is none"},
        BadCase{"NumberTooSmall", ":-9223372036854775809\r\n", "a number that is none"},
        BadCase{"NoLength", "$\r\n", "a length that is none"},
        BadCase{"LengthMinusTwo", "$-2\r\n", "a length that is none"},
        BadCase{"StreamedString", "$?\r\n", "a length that is none"},
        BadCase{"StreamedArray", "*?\r\n", "a length that is none"},
        BadCase{"ArrayMinusTwo", "*-2\r\n", "a length that is none"},
        BadCase{"MapMinusOne", "%-1\r\n", "a length that is none"},
        BadCase{"ErrorMinusOne", "!-1\r\n", "a length that is none"},
        BadCase{"LengthOf64Bits", "$18446744073709551615\r\n", "a length that is none"},
        BadCase{"StringOfEightEiB", "$9223372036854775807\r\n", "a reply larger than allowed"},
        BadCase{"StringOverTheBound", "$1048577\r\n", "a reply larger than allowed"},
        BadCase{"ArrayOfEightEi", "*9223372036854775807\r\n", "more values than allowed"},
        BadCase{"MapOfEightEi", "%9223372036854775807\r\n", "more values than allowed"},
        BadCase{"ArrayOverTheBound", "*16385\r\n", "more values than allowed"},
        BadCase{"MapOverTheBound", "%8193\r\n", "more values than allowed"},
        BadCase{"ArraysWithinAnArrayOverTheBound", "*10000\r\n*10000\r\n",
                "more values than allowed"},
        BadCase{"NestedTooDeep", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
                "values nested deeper than allowed"},
        BadCase{"StringLongerThanItsLength", "$2\r\nabc\r\n", "a string longer than its length"},
        BadCase{"StringWithoutItsEnd", "$2\r\nab:1\r\n", "a string longer than its length"},
        BadCase{"BooleanOfNumber", "#1\r\n", "a boolean that is none"},
        BadCase{"EmptyReal", ",\r\n", "a real number that is none"},
        BadCase{"RealOfWords", ",1.5x\r\n", "a real number that is none"},
        BadCase{"Infinity", ",infinity\r\n", "a real number that is none"},
        BadCase{"EmptyBigNumber", "(\r\n", "a big number that is none"},
        BadCase{"BigNumberOfWords", "(12a\r\n", "a big number that is none"},
        BadCase{"NullWithValue", "_1\r\n", "a null with a value"},
        BadCase{"VerbatimTooShort", "=3\r\ntxt\r\n", "a verbatim string without its format"},
        BadCase{"VerbatimWithoutColon", "=5\r\ntxtxa\r\n", "a verbatim string without its format"}),
    name_of<BadCase>);

TEST(RespParser, ALineMayBeAsLongAsAllowed) {
  const RespLimits limits{.line_bytes = 10};
  EXPECT_EQ(parse("+123456789\r\n", limits), Lines{"simple 9 <123456789>"});
  EXPECT_EQ(parse("+1234567890\r\n", limits), Lines{"error: a line longer than allowed"});
  EXPECT_EQ(parse("+1234567890", limits), Lines{"error: a line longer than allowed"});
}

TEST(RespParser, AReplyMayBeAsLargeAsAllowed) {
  const RespLimits limits{.reply_bytes = 20};
  EXPECT_EQ(parse("*2\r\n+123456\r\n+78\r\n", limits).front(),
            "array [simple 6 <123456>; simple 2 <78>; ]");
  EXPECT_EQ(parse("*2\r\n+123456\r\n+78901\r\n", limits),
            Lines{"error: a reply larger than allowed"});
  EXPECT_EQ(parse("*2\r\n$13\r\n", limits), Lines{"error: a reply larger than allowed"});
  // The bound is one of a reply, not of the stream.
  EXPECT_EQ(parse("+123456789\r\n+123456789\r\n+123456789\r\n", limits).size(), 3u);
}

TEST(RespParser, FloodsOfAttributesAreBounded) {
  std::string flood;
  while (flood.size() < 2'000'000) flood += "|0\r\n";
  EXPECT_EQ(parse(flood), Lines{"error: a reply larger than allowed"});
}

TEST(RespParser, AHostileLengthReservesNothing) {
  RespParser parser({.reply_bytes = 1u << 30, .values = 1u << 30});
  feed(parser, "*500000000\r\n$500000000\r\n");
  EXPECT_EQ(parser.next(), Status::need_more);
  EXPECT_LT(parser.prepare(1).size(), 10'000u);
}

TEST(RespParser, LongRepliesAreReadInLinearTime) {
  const std::string long_string(1'000'000, 'x');
  const std::string bytes = "$1000000\r\n" + long_string + "\r\n";
  RespParser parser({.reply_bytes = 2'000'000});
  Lines out;
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    feed(parser, std::string_view(bytes).substr(i, 7));
    ASSERT_TRUE(drain(parser, out));
  }
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0], "bulk 1000000 <" + long_string + ">");
}

TEST(RespParser, ViewsLieInItsOwnBuffer) {
  RespParser parser;
  feed(parser, "*2\r\n$3\r\nabc\r\n$3\r\ndef\r\n");
  ASSERT_EQ(parser.next(), Status::reply);
  const RespValue* first = &parser.reply() + 1;
  const RespValue* second = first + first->size;
  EXPECT_EQ(second->text.data() - first->text.data(), 9);
}

TEST(RespParser, IsIdleBetweenReplies) {
  RespParser parser;
  EXPECT_TRUE(parser.idle());
  feed(parser, ":1\r\n:");
  EXPECT_FALSE(parser.idle());
  ASSERT_EQ(parser.next(), Status::reply);
  EXPECT_FALSE(parser.idle());
  ASSERT_EQ(parser.next(), Status::need_more);
  EXPECT_FALSE(parser.idle());
  feed(parser, "2\r\n");
  ASSERT_EQ(parser.next(), Status::reply);
  EXPECT_TRUE(parser.idle());
  ASSERT_EQ(parser.next(), Status::need_more);
  EXPECT_TRUE(parser.idle());
}

TEST(RespCommand, IsAnArrayOfBulkStrings) {
  std::string out = "before";
  append_command(out, {"SET", "a key", "", "\r\n\0x"sv});
  EXPECT_EQ(out, "before*4\r\n$3\r\nSET\r\n$5\r\na key\r\n$0\r\n\r\n$4\r\n\r\n\0x\r\n"sv);
  EXPECT_EQ(parse(std::string_view(out).substr(6)),
            Lines{"array [bulk 3 <SET>; bulk 5 <a key>; bulk 0 <>; bulk 4 <\r\n\0x>; ]"s});
}

TEST(RespCommand, InPartsIsTheSame) {
  std::string whole, parts;
  append_command(whole, {"GET", "k"});
  append_command_size(parts, 2);
  append_word(parts, "GET");
  append_word(parts, "k");
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace weir::wire
