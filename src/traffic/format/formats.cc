#include "traffic/format/formats.h"

#include <algorithm>
#include <array>

#include "policy/loader.h"
#include "traffic/format/header_formats.h"
#include "traffic/format/json_formats.h"
#include "traffic/format/json_lines.h"
#include "traffic/format/pattern.h"
#include "traffic/format/word_formats.h"

namespace weir::traffic {
namespace {

struct Format {
  std::string_view name;
  std::unique_ptr<Parser> (*make)();
};

// A format of ours is a pattern that is right.
std::unique_ptr<Parser> nginx(std::string_view text) {
  Pattern pattern = *nginx_pattern(text);
  pattern.open_end = true;
  return make_pattern_parser(std::move(pattern));
}

std::unique_ptr<Parser> k8s_ingress() {
  return nginx(
      "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent "
      "\"$http_referer\" \"$http_user_agent\" $request_length $request_time "
      "[$proxy_upstream_name] [$proxy_alternative_upstream_name]");
}

// Apache's, whose %t is when a request came, and nginx's, whose $time_local is when it had been
// answered, look the same; without a duration the time stands for the start in both.
std::unique_ptr<Parser> combined() {
  return nginx(
      "$remote_addr $ident $remote_user [$time_local] \"$request\" $status $body_bytes_sent "
      "\"$referer\" \"$http_user_agent\"");
}

std::unique_ptr<Parser> vhost() {
  return nginx(
      "$host:$server_port $remote_addr $ident $remote_user [$time_local] \"$request\" $status "
      "$bytes_sent \"$referer\" \"$http_user_agent\"");
}

std::unique_ptr<Parser> common() {
  return nginx("$remote_addr $ident $remote_user [$time_local] \"$request\" $status $bytes_sent");
}

// Those that say more first: of two that read as many lines the first is taken.
constexpr std::array kFormats{
    Format{"k8s-ingress", k8s_ingress},
    Format{"vhost", vhost},
    Format{"combined", combined},
    Format{"common", common},
    Format{"envoy", envoy_format},
    Format{"haproxy", haproxy_format},
    Format{"aws-alb", aws_alb_format},
    Format{"squid", squid_format},
    Format{"nginx-error", nginx_error_format},
    Format{"w3c", w3c_format},
    Format{"caddy", caddy_format},
    Format{"traefik", traefik_format},
    Format{"envoy-json", envoy_json_format},
    Format{"cloudflare", cloudflare_format},
    Format{"aws-api-gateway", aws_api_gateway_format},
    Format{"aws-waf", aws_waf_format},
    Format{"aws-cloudtrail", aws_cloudtrail_format},
    Format{"mooncake", mooncake_format},
    Format{"nginx-json", nginx_json_format},
    Format{"json", json_format},
    Format{"azure-llm", azure_llm_format},
    Format{"csv", csv_format},
};

// The beginning of a line, printable.
std::string beginning(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, 80)) text += c >= ' ' && c < 0x7F ? c : '?';
  return text + (line.size() > 80 ? "..." : "");
}

std::string names_text() {
  std::string text;
  for (const Format& format : kFormats)
    text += (text.empty() ? "" : ", ") + std::string(format.name);
  return text;
}

Error unknown(std::string_view spec) {
  const std::vector<std::string> names = format_names();
  const std::string_view near = policy::nearest(spec, names);  // one of `names`
  return {ErrorCode::invalid_argument,
          "there is no format '" + std::string(spec) + "'" +
              (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?") +
              " (formats: " + names_text() +
              "; or an nginx log_format with its $variables, or an Apache LogFormat with its "
              "%directives)",
          "--log-format"};
}

Result<std::unique_ptr<Parser>> from_pattern(Result<Pattern> pattern) {
  if (!pattern) {
    Error error = pattern.error();
    error.where = "--log-format: " + error.where;
    return error;
  }
  return make_pattern_parser(std::move(*pattern));
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<std::unique_ptr<Parser>> make_parser(std::string_view spec, std::string_view field_map) {
  if (!field_map.empty()) {
    if (spec != "json" && spec != "csv" && spec != "auto") {
      return Error{ErrorCode::invalid_argument,
                   "says what the members of JSON lines or the columns of CSV are: write "
                   "--log-format json or csv with it",
                   "--fields"};
    }
    auto fields = parse_field_map(field_map);
    if (!fields) return fields.error();
    if (spec == "csv") return make_csv_parser(*fields);
    return make_json_parser({std::move(*fields)});
  }
  if (spec.find('$') != std::string_view::npos) return from_pattern(nginx_pattern(spec));
  if (spec.find('%') != std::string_view::npos) return from_pattern(apache_pattern(spec));
  for (const Format& format : kFormats) {
    if (format.name == spec) return format.make();
  }
  return unknown(spec);
}

Result<Detected> detect(const std::vector<std::string_view>& lines) {
  Detected best;
  std::size_t most = 0;
  Record record;
  for (const Format& format : kFormats) {
    std::unique_ptr<Parser> parser = format.make();
    std::size_t requests = 0;
    std::size_t rejected = 0;
    for (const std::string_view line : lines) {
      const Parsed parsed = parser->parse(line, record);
      requests += parsed == Parsed::request ? 1 : 0;
      rejected += parsed == Parsed::rejected ? 1 : 0;
    }
    if (requests <= most || requests < rejected) continue;
    most = requests;
    parser->restart();
    best = {std::string(format.name), std::move(parser)};
  }
  if (best.parser != nullptr) return best;
  const auto full = [](std::string_view line) { return !line.empty(); };
  const auto first = std::find_if(lines.begin(), lines.end(), full);
  if (first == lines.end()) return Error{ErrorCode::invalid_argument, "there is no line in it", ""};
  return Error{ErrorCode::invalid_argument,
               "its format is none of those that are recognised: say it with --log-format "
               "(docs/log-formats.md). The first line begins: " +
                   beginning(*first),
               ""};
}

}  // namespace weir::traffic
