// Where a Redis is: redis://[user[:password]@]host[:port][/database], rediss:// for TLS.
//
//   Result<Url> url = parse_url("rediss://weir:s3cret@redis.example:6380/2");
//
// User and password may be percent-encoded; an IPv6 address stands in brackets. A value, not
// thread-safe beyond that. Errors say what is wrong and never repeat the user or the password.
// redis+sentinel:// and redis+cluster:// are known and refused: not in this version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/result.h"

namespace weir::redis {

struct Url {
  bool tls = false;
  std::string username;  // empty: the default user
  std::string password;
  std::string host;
  std::uint16_t port = 6379;
  std::uint32_t database = 0;
};

Result<Url> parse_url(std::string_view text);

}  // namespace weir::redis
