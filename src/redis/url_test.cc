#include "redis/url.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::redis {
namespace {

std::string shown(const Result<Url>& r) {
  if (!r) return "error";
  return std::string(r->tls ? "tls " : "") + r->username + "|" + r->password + "|" + r->host + "|" +
         std::to_string(r->port) + "|" + std::to_string(r->database);
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
  for (const auto& [url, parts] : kCases) EXPECT_EQ(shown(parse_url(url)), parts) << url;
}

TEST(RedisUrl, RefusesWhatItCannotMean) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "redis://host:port"},
      {"localhost:6379", "redis://host:port"},
      {"http://h", "neither redis:// nor rediss://"},
      {"REDIS://h", "neither redis:// nor rediss://"},
      {"unix:///run/redis.sock", "neither redis:// nor rediss://"},
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
      {"redis://a,b", "no name or address"},
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

TEST(RedisUrl, SentinelAndClusterAreKnownAndRefused) {
  for (const char* url : {"redis+sentinel://a,b,c/main", "redis+cluster://a:1,b:2",
                          "rediss+sentinel://a/main", "rediss+cluster://a"}) {
    const Result<Url> r = parse_url(url);
    ASSERT_FALSE(r) << url;
    EXPECT_EQ(r.error().code, ErrorCode::unsupported) << url;
    EXPECT_NE(r.error().message.find("not in this version"), std::string::npos);
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
