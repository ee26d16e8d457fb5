// One server's part of `probe`: whether it can keep limits.
//
//   probe_server({options, limits, url, address}, found);
//
// As `probe` says.
#pragma once

#include <vector>

#include "base/redis_url.h"
#include "redis/address.h"
#include "redis/directory.h"
#include "redis/probe.h"

namespace weir::redis {

struct ProbedServer {
  const Options& options;
  ProbeLimits limits;
  const base::RedisUrl&
      url;  // of whom it was named; user and password are those of the options, if any
  Address address;
  const Directory* cluster = nullptr;  // whose node it is; null: it stands alone
};

std::vector<ProbeFinding> probe_server(const ProbedServer& probed);

}  // namespace weir::redis
