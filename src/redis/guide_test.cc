#include "redis/guide.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::redis {
namespace {

class Reply {
 public:
  explicit Reply(const std::string& bytes) {
    const std::span<char> space = parser_.prepare(bytes.size());
    std::copy(bytes.begin(), bytes.end(), space.begin());
    parser_.commit(bytes.size());
    EXPECT_EQ(parser_.next(), wire::RespParser::Status::reply);
  }
  operator const wire::RespValue&() const { return parser_.reply(); }

 private:
  wire::RespParser parser_;
};

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

const std::vector<Address> kSeeds{{"a", 1}, {"b", 2}};

TEST(ClusterGuide, AsksOneAfterTheOther) {
  ClusterGuide guide(kSeeds);
  std::string out;
  guide.question(out);
  EXPECT_EQ(out, "*2\r\n$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n");
  EXPECT_EQ(guide.server().host, "a");
  EXPECT_FALSE(guide.answer(Reply("-ERR This instance has cluster support disabled\r\n")));
  EXPECT_EQ(guide.trouble(), "a:1: ERR This instance has cluster support disabled");
  guide.next();
  EXPECT_EQ(guide.server().host, "b");
  EXPECT_FALSE(guide.answer(Reply("*0\r\n")));
  EXPECT_EQ(guide.trouble(), "b:2: it knows no node that serves a slot");
  guide.next();
  EXPECT_EQ(guide.server().host, "a");
}

TEST(ClusterGuide, LearnsTheNodesAndKeepsTheSeeds) {
  ClusterGuide guide(kSeeds);
  guide.next();
  const std::string node = "*2\r\n" + bulk("c") + ":3\r\n";
  const std::string replica = "*2\r\n" + bulk("d") + ":4\r\n";
  ASSERT_TRUE(guide.answer(Reply("*1\r\n*4\r\n:0\r\n:16383\r\n" + node + replica)));
  EXPECT_EQ(guide.found().keepers(), (std::vector<Address>{{"c", 3}}));
  EXPECT_EQ(guide.servers(), 4u);
  EXPECT_EQ(guide.server().host, "b");  // it answers
  std::vector<std::string> asked;
  for (int i = 0; i < 4; ++i, guide.next()) asked.push_back(guide.server().host);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(asked, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(SentinelGuide, TakesThePrimarysAddress) {
  SentinelGuide guide(kSeeds, "main");
  std::string out;
  guide.question(out);
  EXPECT_EQ(out, "*3\r\n$8\r\nSENTINEL\r\n$23\r\nGET-MASTER-ADDR-BY-NAME\r\n$4\r\nmain\r\n");
  ASSERT_TRUE(guide.answer(Reply("*2\r\n" + bulk("10.0.0.1") + bulk("6380"))));
  EXPECT_EQ(text_of(*guide.found().keeper(7)), "10.0.0.1:6380");
  ASSERT_TRUE(guide.answer(Reply("*2\r\n" + bulk("2001:db8::1") + bulk("6380"))));
  EXPECT_EQ(text_of(*guide.found().keeper(0)), "[2001:db8::1]:6380");
}

TEST(SentinelGuide, SaysWhyAnAnswerIsOfNoUse) {
  SentinelGuide guide(kSeeds, "main");
  EXPECT_FALSE(guide.answer(Reply("*-1\r\n")));
  EXPECT_EQ(guide.trouble(), "a:1: it watches no primary of the URL's name");
  EXPECT_FALSE(guide.answer(Reply("-NOAUTH Authentication required.\r\n")));
  EXPECT_EQ(guide.trouble(), "a:1: NOAUTH Authentication required.");
  EXPECT_FALSE(guide.answer(Reply("+PONG\r\n")));
  EXPECT_FALSE(guide.answer(Reply("*2\r\n" + bulk("h") + bulk("0"))));
  EXPECT_FALSE(guide.answer(Reply("*2\r\n" + bulk("") + bulk("6379"))));
}

}  // namespace
}  // namespace weir::redis
