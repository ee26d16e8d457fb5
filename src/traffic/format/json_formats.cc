#include "traffic/format/json_formats.h"

#include <string>
#include <string_view>
#include <utility>

#include "traffic/format/json_lines.h"

namespace weir::traffic {
namespace {

// A field map of ours is one that is right.
std::unique_ptr<Parser> make(std::string_view fields, std::vector<std::string> needs) {
  return make_json_parser({*parse_field_map(fields), std::move(needs)});
}

JsonFormat with_limited(std::string_view fields, const std::string& name,
                        std::initializer_list<const char*> values, std::vector<std::string> needs) {
  JsonFormat format{*parse_field_map(fields), std::move(needs)};
  for (const char* value : values) format.fields.push_back({name, {FieldKind::limited, value}});
  return format;
}

}  // namespace

// `ts` is when it was written: at the end. Caddy writes other events into the same stream.
std::unique_ptr<Parser> caddy_format() {
  return make(
      "end_time=ts,duration_s=duration,client=request.client_ip,client=request.remote_ip,"
      "method=request.method,target=request.uri,status=status,bytes=size,"
      "user_agent=request.headers.User-Agent,header.x-api-key=request.headers.X-Api-Key,"
      "user=user_id",
      {"ts", "request.uri"});
}

std::unique_ptr<Parser> traefik_format() {
  return make(
      "time=StartUTC,time=StartLocal,duration_ns=Duration,client=ClientHost,client=ClientAddr,"
      "method=RequestMethod,target=RequestPath,status=DownstreamStatus,"
      "bytes=DownstreamContentSize,user=ClientUsername,user_agent=request_User-Agent,"
      "header.x-api-key=request_X-Api-Key",
      {"RequestPath", "DownstreamStatus"});
}

// The names are those of the command operators, as Envoy's and Istio's examples have them.
std::unique_ptr<Parser> envoy_json_format() {
  return make_json_parser(with_limited(
      "time=start_time,duration_ms=duration,client=downstream_remote_address_without_port,"
      "client=downstream_remote_address,method=method,target=path,status=response_code,"
      "bytes=bytes_sent,user_agent=user_agent",
      "response_flags", {"RL"}, {"start_time", "response_code"}));
}

std::unique_ptr<Parser> cloudflare_format() {
  return make(
      "time=EdgeStartTimestamp,client=ClientIP,method=ClientRequestMethod,"
      "target=ClientRequestURI,path=ClientRequestPath,status=EdgeResponseStatus,"
      "bytes=EdgeResponseBytes,user_agent=ClientRequestUserAgent",
      {"EdgeStartTimestamp", "ClientIP"});
}

std::unique_ptr<Parser> aws_api_gateway_format() {
  return make(
      "time_ms=requestTimeEpoch,time=requestTime,duration_ms=responseLatency,client=ip,"
      "client=sourceIp,method=httpMethod,path=path,path=resourcePath,status=status,"
      "bytes=responseLength,user_agent=userAgent,user=user,user=caller,attribute.api_key=apiKeyId",
      {"requestId", "httpMethod"});
}

// A request that a rate-based rule stopped is one that a limiter refused.
std::unique_ptr<Parser> aws_waf_format() {
  return make_json_parser(with_limited(
      "time_ms=timestamp,client=httpRequest.clientIp,method=httpRequest.httpMethod,"
      "path=httpRequest.uri,query=httpRequest.args,status=responseCodeSent,"
      "user_agent=httpRequest.headers.User-Agent,user_agent=httpRequest.headers.user-agent,"
      "header.x-api-key=httpRequest.headers.X-Api-Key,"
      "header.x-api-key=httpRequest.headers.x-api-key",
      "terminatingRuleType", {"RATE_BASED"}, {"timestamp", "httpRequest.clientIp"}));
}

// An event a line: a file as CloudTrail delivers it is one object with all in `Records`.
std::unique_ptr<Parser> aws_cloudtrail_format() {
  return make_json_parser(with_limited(
      "time=eventTime,client=sourceIPAddress,path=eventName,user_agent=userAgent,"
      "user=userIdentity.arn",
      "errorCode", {"ThrottlingException", "Throttling", "RequestLimitExceeded", "SlowDown"},
      {"eventTime", "eventName"}));
}

// A trace of requests to a language model; its times begin at 0.
std::unique_ptr<Parser> mooncake_format() {
  return make("time_ms=timestamp,cost.tokens=input_length,cost.tokens=output_length",
              {"timestamp", "input_length", "output_length"});
}

// Members that have the names of nginx's variables, as its own documents and most users do; the
// time is when the answer had been sent.
std::unique_ptr<Parser> nginx_json_format() {
  return make_json_parser(with_limited(
      "end_time=msec,end_time=time_iso8601,end_time=time_local,end_time=time,"
      "end_time=@timestamp,end_time=timestamp,duration_s=request_time,client=remote_addr,"
      "request=request,method=request_method,target=request_uri,path=uri,query=args,"
      "status=status,bytes=bytes_sent,bytes=body_bytes_sent,user=remote_user,"
      "user_agent=http_user_agent,header.x-api-key=http_x_api_key,"
      "header.authorization=http_authorization,header.cookie=http_cookie,"
      "header.x-forwarded-for=http_x_forwarded_for,cost.tokens=tokens",
      "limit_req_status", {"REJECTED"}, {"remote_addr", "status"}));
}

// Anything else is said with --fields.
std::unique_ptr<Parser> json_format() { return make(usual_field_map(), {}); }

}  // namespace weir::traffic
