#include "redis/url.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::redis {
namespace {

std::string parts_of(const Result<Url>& r) {
  if (!r) return "error: " + r.error().message;
  std::string servers;
  for (const Address& server : r->servers) {
    servers += server.host + "|" + std::to_string(server.port) + "|";
  }
  return std::string(r->tls ? "tls " : "") + r->username + "|" + r->password + "|" + servers +
         r->name + (r->name.empty() ? "" : "|") + std::to_string(r->database);
}

TEST(RedisUrl, IsReadInAllItsParts) {
  const std::pair<const char*, const char*> kCases[] = {
      {"redis://localhost", "||localhost|6379|0"},
      {"redis://localhost/", "||localhost|6379|0"},
      {"redis://redis:6380/3", "||redis|6380|3"},
      {"rediss://redis.example.com", "tls ||redis.example.com|6379|0"},
      {"redis://:s3cret@h", "|s3cret|h|6379|0"},
      {"redis://weir:s3cret@h:1/15", "weir|s3cret|h|1|15"},
      {"redis://weir@h", "weir||h|6379|0"},
      {"redis://we%40ir:p%2f%3A%25@h", "we@ir|p/:%|h|6379|0"},
      {"redis://:p@ss/w:rd@h/2", "|p@ss/w:rd|h|6379|2"},
      {"redis://[::1]:7000/1", "||::1|7000|1"},
      {"redis://[fe80::1%25eth0]", "||fe80::1%25eth0|6379|0"},
      {"redis://10.0.0.1:65535", "||10.0.0.1|65535|0"},
  };
  for (const auto& [url, parts] : kCases) EXPECT_EQ(parts_of(parse_url(url)), parts) << url;
}

TEST(RedisUrl, NamesSentinelsAndNodes) {
  const std::pair<const char*, const char*> kCases[] = {
      {"redis+sentinel://a,b:1,c/main", "||a|26379|b|1|c|26379|main|0"},
      {"rediss+sentinel://u:p@a/the_main.1-x/3", "tls u|p|a|26379|the_main.1-x|3"},
      {"redis+sentinel://[::1]:5,b/m", "||::1|5|b|26379|m|0"},
      {"redis+cluster://a,b:7000", "||a|6379|b|7000|0"},
      {"redis+cluster://a/", "||a|6379|0"},
      {"rediss+cluster://:pw@a/0", "tls |pw|a|6379|0"},
  };
  for (const auto& [url, parts] : kCases) EXPECT_EQ(parts_of(parse_url(url)), parts) << url;
  EXPECT_EQ(parse_url("redis+sentinel://a/m")->kind, Url::Kind::sentinel);
  EXPECT_EQ(parse_url("redis+cluster://a")->kind, Url::Kind::cluster);
  EXPECT_EQ(parse_url("redis://a")->kind, Url::Kind::standalone);
}

TEST(RedisUrl, IsShownWithoutUserAndPassword) {
  EXPECT_EQ(shown(*parse_url("rediss://u:p@h/2")), "rediss://h:6379/2");
  EXPECT_EQ(shown(*parse_url("redis+sentinel://u:p@a,[::1]:5/main/2")),
            "redis+sentinel://a:26379,[::1]:5/main/2");
  EXPECT_EQ(shown(*parse_url("redis+cluster://:p@a,b:1")), "redis+cluster://a:6379,b:1");
}

TEST(RedisUrl, RefusesWhatItCannotMean) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "redis://host:port"},
      {"localhost:6379", "redis://host:port"},
      {"http://h", "the scheme is none of redis://"},
      {"REDIS://h", "the scheme is none of redis://"},
      {"unix:///run/redis.sock", "the scheme is none of redis://"},
      {"redis://", "the host is missing"},
      {"redis://:6379", "the host is missing"},
      {"redis://u:p@", "the host is missing"},
      {"redis://h:", "no number from 1 to 65535"},
      {"redis://h:0", "no number from 1 to 65535"},
      {"redis://h:65536", "no number from 1 to 65535"},
      {"redis://h:63x", "no number from 1 to 65535"},
      {"redis://h:-1", "no number from 1 to 65535"},
      {"redis://h/x", "no database number"},
      {"redis://h/-1", "no database number"},
      {"redis://h/1/2", "no database number"},
      {"redis://h/2147483648", "no database number"},
      {"redis://h/0?timeout=1", "takes no ? or #"},
      {"redis://h h", "no name or address"},
      {"redis://a,b", "names one server"},
      {"redis+sentinel://a,b", "ends in /NAME"},
      {"redis+sentinel://a/", "ends in /NAME"},
      {"redis+sentinel://a/m n", "ends in /NAME"},
      {"redis+sentinel://a/m/x", "no database number"},
      {"redis+sentinel://a,,b/m", "the host is missing"},
      {"redis+cluster://a,b:0", "no number from 1 to 65535"},
      {"redis+cluster://a/1", "no database but 0"},
      {"redis+cluster://a,", "the host is missing"},
      {"redis://::1", "the host is missing"},
      {"redis://[::1", "not closed"},
      {"redis://[::1]6379", "is no port"},
      {"redis://%zz@h", "not followed by two digits"},
      {"redis://:%4@h", "not followed by two digits"},
  };
  for (const auto& [url, why] : kCases) {
    const Result<Url> r = parse_url(url);
    ASSERT_FALSE(r) << url;
    EXPECT_NE(r.error().message.find(why), std::string::npos) << url << ": " << r.error().message;
    EXPECT_EQ(r.error().code, ErrorCode::invalid_argument) << url;
  }
}

TEST(RedisUrl, AnErrorShowsNoPassword) {
  for (const char* url :
       {"http://u:s3cret@h", "redis://u:s3cret@h:0", "redis://u:s3cret@", "redis://s3cret:%zz@h",
        "redis://u:s3cret@h/x", "redis://u:s3cret?@h", "s3cret", "redis://:s3cret@h h"}) {
    const Result<Url> r = parse_url(url);
    ASSERT_FALSE(r) << url;
    EXPECT_EQ(r.error().text().find("s3cret"), std::string::npos) << r.error().text();
  }
}

}  // namespace
}  // namespace weir::redis
