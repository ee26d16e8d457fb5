// The formats of text whose fields are words in a row: HAProxy, Envoy, AWS's load balancer, Squid,
// and nginx's error log, which tells what its own limiter refused.
#pragma once

#include <memory>

#include "traffic/parser.h"

namespace weir::traffic {

std::unique_ptr<Parser> haproxy_format();
std::unique_ptr<Parser> envoy_format();
std::unique_ptr<Parser> aws_alb_format();
std::unique_ptr<Parser> squid_format();
std::unique_ptr<Parser> nginx_error_format();

}  // namespace weir::traffic
