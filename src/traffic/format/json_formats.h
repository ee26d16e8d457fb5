// The formats of JSON lines that weir knows by name.
#pragma once

#include <memory>

#include "traffic/parser.h"

namespace weir::traffic {

std::unique_ptr<Parser> caddy_format();
std::unique_ptr<Parser> traefik_format();
std::unique_ptr<Parser> envoy_json_format();
std::unique_ptr<Parser> cloudflare_format();
std::unique_ptr<Parser> aws_api_gateway_format();
std::unique_ptr<Parser> aws_waf_format();
std::unique_ptr<Parser> aws_cloudtrail_format();
std::unique_ptr<Parser> mooncake_format();
std::unique_ptr<Parser> nginx_json_format();
std::unique_ptr<Parser> json_format();

}  // namespace weir::traffic
