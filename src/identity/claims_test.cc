#include "identity/claims.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::identity {
namespace {

std::string read(std::string_view payload, std::string_view name) {
  std::vector<Claim> claims(3);
  claims[0].name = "other";
  claims[1].name = name;
  claims[2].name = name;  // two keys may want one claim
  const std::vector<char> exact(payload.begin(), payload.end());
  const bool good = read_claims({exact.data(), exact.size()}, claims);
  EXPECT_EQ(claims[1].value(), claims[2].value());
  if (!good) {
    EXPECT_FALSE(claims[1].value());
    return "(bad)";
  }
  return std::string(claims[1].value().value_or("(none)"));
}

struct Case {
  const char* payload;
  const char* name;
  const char* want;
};

TEST(Claims, HaveTheTextOfTheirValue) {
  const Case cases[] = {
      {R"({"sub":"alice"})", "sub", "alice"},
      {R"( { "iss" : "x" , "sub" : "alice" } )", "sub", "alice"},
      {R"({"sub":"al\u0069ce\n\"\u00e9"})", "sub", "alice\n\"\xc3\xa9"},
      {R"({"s\u0075b":"alice"})", "sub", "alice"},
      {R"({"org":42})", "org", "42"},
      {R"({"org":-7})", "org", "-7"},
      {R"({"org":18446744073709551615})", "org", "18446744073709551615"},
      {R"({"admin":true,"x":false})", "admin", "true"},
      {R"({"admin":true,"x":false})", "x", "false"},
      {R"({"https://acme.example/org":"a"})", "https://acme.example/org", "a"},
      {R"({"a":{"sub":"inner"},"sub":"outer"})", "sub", "outer"},
      {R"({"a":[{"sub":"inner"}],"sub":"outer"})", "sub", "outer"},
      {R"({"a":{"sub":"inner"}})", "sub", "(none)"},
      {R"({"sub":{"sub":"inner"}})", "sub", "(none)"},
      {R"({"sub":["alice"]})", "sub", "(none)"},
      {R"({"sub":null})", "sub", "(none)"},
      {R"({"sub":1.5})", "sub", "(none)"},
      {R"({"sub":1e3})", "sub", "(none)"},
      {R"({"sub":99999999999999999999})", "sub", "(none)"},
      {R"({"sub":""})", "sub", "(none)"},
      {R"({"sub":"a","sub":"a"})", "sub", "(none)"},
      {R"({"sub":"a","sub":"b","sub":"c"})", "sub", "(none)"},
      {R"({"sub":null,"sub":"b"})", "sub", "(none)"},
      {R"({})", "sub", "(none)"},
      {R"({"SUB":"a"})", "sub", "(none)"},
  };
  for (const Case& c : cases) EXPECT_EQ(read(c.payload, c.name), c.want) << c.payload;
}

TEST(Claims, ComeOnlyFromAWholeJsonObject) {
  for (const char* payload :
       {"", "{", R"({"sub":"alice")", R"({"sub":"alice"}x)", R"({"sub":"alice"}{})", R"("alice")",
        R"([{"sub":"alice"}])", "null", R"({"sub":"alice",})", R"({'sub':'alice'})",
        R"({"sub":"al)", "{\"sub\":\"\xff\"}", R"({"sub":"alice"/*c*/})", R"({"sub":"\ud800"})"}) {
    EXPECT_EQ(read(payload, "sub"), "(bad)") << payload;
  }
  EXPECT_EQ(read("[\"sub\",\"alice\"]", "sub"), "(bad)");
  EXPECT_EQ(
      read("{\"sub\":\"alice\",\"d\":" + std::string(40, '[') + std::string(40, ']') + "}", "sub"),
      "(bad)");  // deeper than the parser goes
}

TEST(Claims, LongTextHasNoValueAndDisturbsNothing) {
  const std::string most(kMaxClaim, 'a');
  EXPECT_EQ(read("{\"sub\":\"" + most + "\"}", "sub"), most);
  EXPECT_EQ(read("{\"sub\":\"" + most + "a\"}", "sub"), "(none)");
  // Longer than the parser's own buffer, plain and escaped: it comes in parts.
  for (const char* unit : {"a", "\\n", "\\u00e9"}) {
    std::string text;
    for (int i = 0; i < 9'000; ++i) text += unit;
    EXPECT_EQ(read("{\"sub\":\"" + text + "\"}", "sub"), "(none)");
    EXPECT_EQ(read("{\"x\":\"" + text + "\",\"sub\":\"alice\"}", "sub"), "alice");
    EXPECT_EQ(read("{\"" + text + "\":\"x\",\"sub\":\"alice\"}", "sub"), "alice");
    EXPECT_EQ(read("{\"a\":{\"" + text + "\":1},\"sub\":\"alice\"}", "sub"), "alice");
  }
}

std::string payload(std::string_view token, std::size_t room = kMaxToken) {
  std::vector<char> out(room);
  const auto text = jwt_payload(token, out);
  return text ? std::string(*text) : "(none)";
}

TEST(JwtPayload, IsTheMiddlePartOfThree) {
  EXPECT_EQ(payload("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln"), R"({"sub":"alice"})");
  EXPECT_EQ(payload("a.YQ.b"), "a");
  EXPECT_EQ(payload("a.YWI.b"), "ab");
  EXPECT_EQ(payload("a._-8.b"), "\xff\xef");
  EXPECT_EQ(payload(".."), "");
  for (const char* token : {"", "a", "a.YQ", "a.YQ.b.c", "a.YQ.b.c.d", "a.YQ==.b", "a.Y.b",
                            "a.Y Q.b", "a.+/8.b", "a.YQ\n.b"}) {
    EXPECT_EQ(payload(token), "(none)") << token;
  }
  EXPECT_EQ(payload("a." + std::string(kMaxToken, 'Y') + ".b"), "(none)");
  EXPECT_EQ(payload("a.YWJjZGVm.b", 5), "(none)");
}

}  // namespace
}  // namespace weir::identity
