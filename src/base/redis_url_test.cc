#include "base/redis_url.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::base {
namespace {

std::string parts_of(const Result<RedisUrl>& r) {
  if (!r) return "error: " + r.error().message;
  std::string servers;
  for (const HostPort& server : r->servers) {
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
  for (const auto& [url, parts] : kCases) EXPECT_EQ(parts_of(parse_redis_url(url)), parts) << url;
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
  for (const auto& [url, parts] : kCases) EXPECT_EQ(parts_of(parse_redis_url(url)), parts) << url;
  EXPECT_EQ(parse_redis_url("redis+sentinel://a/m")->kind, RedisUrl::Kind::sentinel);
  EXPECT_EQ(parse_redis_url("redis+cluster://a")->kind, RedisUrl::Kind::cluster);
  EXPECT_EQ(parse_redis_url("redis://a")->kind, RedisUrl::Kind::standalone);
}

TEST(RedisUrl, IsShownWithoutUserAndPassword) {
  EXPECT_EQ(shown(*parse_redis_url("rediss://u:p@h/2")), "rediss://h:6379/2");
  EXPECT_EQ(shown(*parse_redis_url("redis+sentinel://u:p@a,[::1]:5/main/2")),
            "redis+sentinel://a:26379,[::1]:5/main/2");
  EXPECT_EQ(shown(*parse_redis_url("redis+cluster://:p@a,b:1")), "redis+cluster://a:6379,b:1");
}

TEST(RedisUrl, RefusesWhatItCannotMean) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "is no Redis URL"},
      {"localhost:6379", "is no Redis URL"},
      {"http://h", "is no Redis URL"},
      {"REDIS://h", "is no Redis URL"},
      {"unix:///run/redis.sock", "is no Redis URL"},
      {"redis://", "has no host"},
      {"redis://:6379", "has no host"},
      {"redis://u:p@", "has no host"},
      {"redis://h:", "has a port that is none"},
      {"redis://h:0", "has a port that is none"},
      {"redis://h:65536", "has a port that is none"},
      {"redis://h:63x", "has a port that is none"},
      {"redis://h:-1", "has a port that is none"},
      {"redis://h/x", "has a database that is no number"},
      {"redis://h/-1", "has a database that is no number"},
      {"redis://h/1/2", "has a database that is no number"},
      {"redis://h/2147483648", "has a database that is no number"},
      {"redis://h/0?timeout=1", "has a `?` or `#`"},
      {"redis://h h", "has a host that is no name or address"},
      {"redis://a,b", "names several hosts"},
      {"redis+sentinel://a,b", "has no name of a primary"},
      {"redis+sentinel://a/", "has no name of a primary"},
      {"redis+sentinel://a/m n", "has no name of a primary"},
      {"redis+sentinel://a/m/x", "has a database that is no number"},
      {"redis+sentinel://a,,b/m", "has no host"},
      {"redis+cluster://a,b:0", "has a port that is none"},
      {"redis+cluster://a/1", "none but 0"},
      {"redis+cluster://a,", "has no host"},
      {"redis://::1", "has no host"},
      {"redis://[::1", "has `[` without `]`"},
      {"redis://[::1]6379", "has no port behind `]`"},
      {"redis://u@", "has no host"},
      {"redis://h/99999999999", "has a database that is no number"},
      {"redis+x://a", "is no Redis URL"},
      {"redis://%zz@h", "two hexadecimal digits do not follow"},
      {"redis://:%4@h", "two hexadecimal digits do not follow"},
  };
  const std::string long_host = "redis://" + std::string(254, 'h');
  EXPECT_EQ(parse_redis_url(long_host).error().message, "has a host that is no name or address");
  for (const auto& [url, why] : kCases) {
    const Result<RedisUrl> r = parse_redis_url(url);
    ASSERT_FALSE(r) << url;
    EXPECT_NE(r.error().message.find(why), std::string::npos) << url << ": " << r.error().message;
    EXPECT_EQ(r.error().code, ErrorCode::invalid_argument) << url;
  }
}

TEST(RedisUrl, AnErrorShowsNoPassword) {
  for (const char* url :
       {"http://u:s3cret@h", "redis://u:s3cret@h:0", "redis://u:s3cret@", "redis://s3cret:%zz@h",
        "redis://u:s3cret@h/x", "redis://u:s3cret?@h", "s3cret", "redis://:s3cret@h h"}) {
    const Result<RedisUrl> r = parse_redis_url(url);
    ASSERT_FALSE(r) << url;
    EXPECT_EQ(r.error().text().find("s3cret"), std::string::npos) << r.error().text();
  }
}

}  // namespace
}  // namespace weir::base
