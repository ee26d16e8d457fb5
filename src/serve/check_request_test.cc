#include "serve/check_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/loader.h"

namespace weir::serve {
namespace {

policy::Policy with_units() {
  policy::Policy policy;
  policy.units = {"requests", "points"};
  return policy;
}

TEST(CheckParser, ReadsEveryMember) {
  const policy::Policy policy = with_units();
  CheckParser parser;
  CheckRequest r;
  const auto problem = parser.parse(
      R"({"method":"POST","path":"/v1/x?q=1","client_ip":"2001:db8::1",
          "headers":{"X-Api-Key":"k","Cookie":["a=1","b=2"]},"attributes":{"service":"billing"},
          "cost":{"points":3,"requests":0},"peek":true,"stage":"pre"})",
      policy, r);
  ASSERT_FALSE(problem) << problem->field << " " << problem->detail;
  EXPECT_EQ(r.method, "POST");
  EXPECT_EQ(r.path, "/v1/x?q=1");
  EXPECT_EQ(r.client_ip, policy::Address::parse("2001:db8::1"));
  ASSERT_EQ(r.headers.size(), 3u);
  EXPECT_EQ(r.headers[2].name, "Cookie");
  EXPECT_EQ(r.headers[2].value, "b=2");
  ASSERT_EQ(r.attributes.size(), 1u);
  EXPECT_EQ(r.attributes[0].value, "billing");
  ASSERT_EQ(r.costs.size(), 2u);
  EXPECT_EQ(r.costs[0].unit, "points");
  EXPECT_EQ(r.costs[0].cost, 3u);
  EXPECT_TRUE(r.peek);
  EXPECT_EQ(r.stage, identity::StageFilter::pre_auth);
}

TEST(CheckParser, KeepsNothingOfTheRequestBefore) {
  const policy::Policy policy = with_units();
  CheckParser parser;
  CheckRequest r;
  ASSERT_FALSE(parser.parse(R"({"method":"GET","path":"/","cost":7,"peek":true,"stage":"post",
                                "headers":{"a":"b"},"client_ip":"1.2.3.4"})",
                            policy, r));
  EXPECT_EQ(r.costs.at(0).unit, "");
  ASSERT_FALSE(parser.parse(R"({"method":"GET","path":"/"})", policy, r));
  EXPECT_TRUE(r.costs.empty() && r.headers.empty() && !r.peek && !r.client_ip);
  EXPECT_EQ(r.stage, identity::StageFilter::all);
}

TEST(CheckParser, TakesTheLargestCost) {
  const policy::Policy policy = with_units();
  CheckParser parser;
  CheckRequest r;
  ASSERT_FALSE(parser.parse(R"({"method":"GET","path":"/","cost":9007199254740992})", policy, r));
  EXPECT_EQ(r.costs.at(0).cost, std::uint64_t{1} << 53);
}

struct Wrong {
  const char* name;
  std::string_view body;
  const char* field;
};

class CheckRefuses : public testing::TestWithParam<Wrong> {};

TEST_P(CheckRefuses, AndNamesTheField) {
  const policy::Policy policy = with_units();
  CheckParser parser;
  CheckRequest r;
  const auto problem = parser.parse(GetParam().body, policy, r);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->field, GetParam().field);
  EXPECT_FALSE(problem->detail.empty());
}

#define REST "\"method\":\"GET\",\"path\":\"/\""

INSTANTIATE_TEST_SUITE_P(
    Table, CheckRefuses,
    testing::ValuesIn(std::vector<Wrong>{
        {"Empty", "", ""},
        {"NoJson", "{method:1}", ""},
        {"TwoDocuments", "{" REST "}{}", ""},
        {"Array", "[]", ""},
        {"InvalidUtf8", "{" REST ",\"client_ip\":\"\xff\"}", ""},
        {"TooDeep", "{" REST ",\"cost\":[[[[[[1]]]]]]}", ""},
        {"NoMethod", R"({"path":"/"})", "method"},
        {"NoPath", R"({"method":"GET"})", "path"},
        {"MethodNumber", R"({"method":1,"path":"/"})", "method"},
        {"MethodNoToken", R"({"method":"G T","path":"/"})", "method"},
        {"PathEmpty", R"({"method":"GET","path":""})", "path"},
        {"PathNull", R"({"method":"GET","path":null})", "path"},
        {"UnknownMember", "{" REST ",\"costs\":1}", "costs"},
        {"RepeatedMember", "{" REST ",\"cost\":1,\"cost\":0}", ""},
        {"RepeatedUnit", "{" REST ",\"cost\":{\"points\":1,\"points\":0}}", ""},
        {"ClientIpName", "{" REST ",\"client_ip\":\"example.net\"}", "client_ip"},
        {"ClientIpPort", "{" REST ",\"client_ip\":\"1.2.3.4:5\"}", "client_ip"},
        {"ClientIpOctal", "{" REST ",\"client_ip\":\"1.2.3.04\"}", "client_ip"},
        {"HeadersArray", "{" REST ",\"headers\":[]}", "headers"},
        {"HeaderNumber", "{" REST ",\"headers\":{\"a\":1}}", "headers.a"},
        {"HeaderNested", "{" REST ",\"headers\":{\"a\":[[\"b\"]]}}", "headers.a"},
        {"HeaderName", "{" REST ",\"headers\":{\"a b\":\"c\"}}", "headers.a b"},
        {"HeaderLineBreak", "{" REST ",\"headers\":{\"a\":\"b\\r\\nc\"}}", "headers.a"},
        {"HeaderNul", "{" REST ",\"headers\":{\"a\":\"b\\u0000c\"}}", "headers.a"},
        {"AttributeNumber", "{" REST ",\"attributes\":{\"a\":1}}", "attributes.a"},
        {"CostNegative", "{" REST ",\"cost\":-1}", "cost"},
        {"CostFraction", "{" REST ",\"cost\":1.5}", "cost"},
        {"CostExponent", "{" REST ",\"cost\":1e3}", "cost"},
        {"CostText", "{" REST ",\"cost\":\"1\"}", "cost"},
        {"CostBeyond2To53", "{" REST ",\"cost\":9007199254740993}", "cost"},
        {"CostBeyond64Bits", "{" REST ",\"cost\":18446744073709551616}", "cost"},
        {"CostUnitUnknown", "{" REST ",\"cost\":{\"pints\":1}}", "cost.pints"},
        {"CostUnitNegative", "{" REST ",\"cost\":{\"points\":-1}}", "cost.points"},
        {"PeekText", "{" REST ",\"peek\":\"true\"}", "peek"},
        {"StageOther", "{" REST ",\"stage\":\"both\"}", "stage"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckParser, SaysWhichWordWasMeant) {
  const policy::Policy policy = with_units();
  CheckParser parser;
  CheckRequest r;
  EXPECT_THAT(parser.parse("{" REST ",\"headrs\":{}}", policy, r)->detail,
              testing::HasSubstr("`headers`"));
  EXPECT_THAT(parser.parse("{" REST ",\"cost\":{\"pints\":1}}", policy, r)->detail,
              testing::HasSubstr("requests, points"));
  EXPECT_THAT(
      parser
          .parse("{" REST ",\"attributes\":{\"a\":\"" + std::string(257, 'x') + "\"}}", policy, r)
          ->detail,
      testing::HasSubstr("256"));
}

}  // namespace
}  // namespace weir::serve
