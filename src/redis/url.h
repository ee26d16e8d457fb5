// Where a Redis is, in the clear or (rediss) by TLS:
//
//   redis://[user[:password]@]host[:port][/database]
//   redis+sentinel://[user[:password]@]sentinel[:port][,sentinel...]/NAME[/database]
//   redis+cluster://[user[:password]@]node[:port][,node...]
//
//   Result<Url> url = parse_url("rediss://weir:s3cret@redis.example:6380/2");
//
// User and password are those of the servers that keep the counters; Sentinels are asked without.
// User and password may be percent-encoded; an IPv6 address stands in brackets. A value, not
// thread-safe beyond that. Errors say what is wrong and never repeat the user or the password.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redis/address.h"
#include "weir/result.h"

namespace weir::redis {

struct Url {
  enum class Kind : std::uint8_t { standalone, sentinel, cluster };

  Kind kind = Kind::standalone;
  bool tls = false;
  std::string username;  // empty: the default user
  std::string password;
  // The one server, or some of the Sentinels or nodes; at least one.
  std::vector<Address> servers;
  std::string name;  // of the primary that the Sentinels watch
  std::uint32_t database = 0;
};

Result<Url> parse_url(std::string_view text);

// Without user and password.
std::string shown(const Url& url);

}  // namespace weir::redis
