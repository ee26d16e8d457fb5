#include "cli/http_client.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(Url, ReadsHostAndPort) {
  const auto plain = Url::parse("http://127.0.0.1:8080/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, "8080");
  EXPECT_EQ(Url::parse("http://weir.internal")->port, "80");
  EXPECT_EQ(Url::parse("localhost:1")->host, "localhost");
  EXPECT_EQ(Url::parse("http://[::1]:9")->host, "::1");
  EXPECT_EQ(Url::parse("http://[::1]")->port, "80");
}

TEST(Url, RefusesWhatIsNotAServer) {
  for (const char* text :
       {"", "https://x", "http://", "http://x/path", "http://x:y", "http://[::1", "http://u@x",
        "http://x:", "http://x:0", "http://x:65536", "http://x:93936", "http://x:99999999999"}) {
    EXPECT_FALSE(Url::parse(text)) << text;
  }
}

TEST(HttpClient, SaysThatNobodyListens) {
  const auto reply = post({"127.0.0.1", "1"}, "/v1/check", "{}");
  ASSERT_FALSE(reply);
  EXPECT_NE(reply.error().message.find("cannot connect"), std::string::npos);
}

}  // namespace
}  // namespace weir::cli
