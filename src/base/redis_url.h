// Where a Redis is, in the clear or (rediss) by TLS:
//
//   redis://[user[:password]@]host[:port][/database]
//   redis+sentinel://[user[:password]@]sentinel[:port][,sentinel...]/NAME[/database]
//   redis+cluster://[user[:password]@]node[:port][,node...]
//
//   Result<RedisUrl> url = parse_redis_url("rediss://weir:s3cret@redis.example:6380/2");
//
// User and password are those of the servers that keep the counters; Sentinels are asked without.
// User and password may be percent-encoded; an IPv6 address stands in brackets. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_port.h"
#include "weir/result.h"

namespace weir::base {

struct RedisUrl {
  enum class Kind : std::uint8_t { standalone, sentinel, cluster };

  Kind kind = Kind::standalone;
  bool tls = false;
  std::string username;  // empty: the default user
  std::string password;
  // The one server, or some of the Sentinels or nodes; at least one.
  std::vector<HostPort> servers;
  std::string name;  // of the primary that the Sentinels watch
  std::uint32_t database = 0;
};

// The error's message says what is wrong, to follow the URL's name: "has no host"; its `where` says
// what to write instead. Neither repeats any of the URL: it may hold a password.
Result<RedisUrl> parse_redis_url(std::string_view text);

// Without user and password.
std::string shown(const RedisUrl& url);

}  // namespace weir::base
