#include "redis/options.h"

#include <algorithm>

#include "base/redis_url.h"

namespace weir::redis {
namespace {

Error wrong(std::string where, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), "store." + std::move(where)};
}

bool is_prefix(const std::string& text) {
  if (text.empty() || text.size() > 64) return false;
  // Braces are left to a cluster's hash tags.
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < '\x7f' && c != '{' && c != '}'; });
}

Result<void> check_tls(const Options& options, bool tls) {
  const bool any = !options.tls_ca.empty() || !options.tls_cert.empty() || !options.tls_key.empty();
  if (any && !tls) return wrong("tls", "TLS is spoken where the URL begins with rediss://");
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return wrong("tls", "a client certificate needs both cert and key");
  }
  return {};
}

}  // namespace

Result<void> check(const Options& options) {
  const Result<base::RedisUrl> url = base::parse_redis_url(options.url);
  if (!url) return wrong("url", "the URL " + url.error().message + "; " + url.error().where);
  if (options.timeout < milliseconds(1) || options.timeout > minutes(1)) {
    return wrong("timeout", "the time for a decision is 1ms to 1m");
  }
  if (options.connections < 1 || options.connections > 64) {
    return wrong("connections", "1 to 64 sockets can be used");
  }
  if (!is_prefix(options.prefix)) {
    return wrong("prefix", "a prefix is 1 to 64 visible characters without { and }");
  }
  if (options.breaker.errors < 1 || options.breaker.errors > 1'000'000) {
    return wrong("breaker.errors", "the breaker opens after 1 to 1,000,000 failures");
  }
  if (options.breaker.window.ns == 0)
    return wrong("breaker.window", "a window of 0 counts nothing");
  if (options.breaker.retry.ns == 0) return wrong("breaker.retry", "0 would never leave it alone");
  if (options.max_waiting < 1) return wrong("max_waiting", "0 would refuse everything");
  return check_tls(options, url->tls);
}

}  // namespace weir::redis
