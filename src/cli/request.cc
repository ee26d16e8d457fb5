#include "cli/request.h"

#include <algorithm>
#include <boost/json.hpp>

#include "policy/cidr.h"
#include "policy/loader.h"
#include "policy/policy.h"
#include "policy/utf8.h"
#include "wire/http_text.h"

namespace weir::cli {
namespace {

constexpr const char* kGroup = "Request";  // the heading in the help

using Pair = std::pair<std::string, std::string>;

Error bad(std::string message) { return {ErrorCode::invalid_argument, std::move(message), ""}; }

std::string trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<Pair> split(const std::string& text, char separator, const char* option,
                   const char* example) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos || at == 0) {
    return bad(std::string(option) + " `" + policy::printable(text) + "`: write it as " + example);
  }
  return Pair{text.substr(0, at), text.substr(at + 1)};
}

// As the server judges the fields of a check.
Result<Pair> parse_header(const std::string& text) {
  auto pair = split(text, ':', "--header", "'Name: value'");
  if (!pair) return pair;
  Pair header{trim(pair->first), trim(pair->second)};
  const std::string shown = "--header `" + policy::printable(text) + "`: ";
  if (!wire::is_token(header.first)) {
    return bad(shown + "`" + policy::printable(header.first) + "` is no header field name");
  }
  constexpr std::string_view kBreaks("\r\n\0", 3);
  if (header.second.find_first_of(kBreaks) != std::string::npos) {
    return bad(shown + "the value must not hold CR, LF or NUL");
  }
  return header;
}

Result<std::pair<std::string, std::uint64_t>> parse_cost(const std::string& text) {
  const std::size_t at = text.find('=');
  const std::string number = at == std::string::npos ? text : text.substr(at + 1);
  const auto cost = policy::parse_count(number);
  if (!cost) return bad("--cost `" + text + "`: " + cost.error().message);
  return std::pair{at == std::string::npos ? std::string() : text.substr(0, at), *cost};
}

}  // namespace

Result<BoundRequest> BoundRequest::bind(const RequestSpec& spec) {
  BoundRequest bound;
  Owned& o = *bound.owned_;
  o.spec = spec;
  for (const auto& [name, value] : o.spec.headers) o.headers.push_back({name, value});
  for (const auto& [name, value] : o.spec.attributes) o.attributes.push_back({name, value});
  for (const auto& [unit, cost] : o.spec.costs) o.costs.push_back({unit, cost});
  o.facts.method = o.spec.method;
  o.facts.target = o.spec.path;
  o.facts.headers = o.headers;
  o.facts.attributes = o.attributes;
  o.facts.costs = o.costs;
  o.facts.stage = o.spec.stage;
  o.facts.peek = o.spec.peek;
  if (o.spec.max_delay) o.facts.max_delay = *o.spec.max_delay;
  if (!o.spec.client_ip.empty()) {
    o.facts.client = policy::Address::parse(o.spec.client_ip);
    if (!o.facts.client) return bad("`" + o.spec.client_ip + "` is not an IP address");
  }
  return bound;
}

RequestOptions::RequestOptions(Options& options, Charging charging) {
  const auto add = [&](const char* names, auto& value, const char* help, const char* type) {
    Option option = options.add(names, value, help).group(kGroup).type(type);
    options_.push_back(option);
    return option;
  };
  add("--method", method_, "HTTP method", "METHOD").shows_default();
  add("--path", path_, "path, as the client wrote it", "PATH").shows_default();
  add("--client-ip", client_ip_, "address of the client", "ADDRESS");
  add("--header", headers_, "a header, 'Name: value'; may be repeated", "HEADER").one_value_each();
  add("--attribute", attributes_, "what the caller's gateway states, name=value", "NAME=VALUE")
      .one_value_each();
  add("--cost", costs_, "cost in place of the class's: 3, or points=3", "[UNIT=]N")
      .one_value_each();
  add("--stage", stage_, "only limits of this stage: pre or post", "STAGE").one_of({"pre", "post"});
  if (charging == Charging::never) return;
  options_.push_back(options.add_flag("--peek", peek_, "charge nothing").group(kGroup));
}

bool RequestOptions::given() const {
  return std::ranges::any_of(options_, [](const Option& option) { return option.given(); });
}

Result<RequestSpec> RequestOptions::spec() const {
  RequestSpec spec;
  spec.method = method_;
  spec.path = path_;
  spec.client_ip = client_ip_;
  spec.peek = peek_;
  if (stage_ == "pre") spec.stage = identity::StageFilter::pre_auth;
  if (stage_ == "post") spec.stage = identity::StageFilter::post_auth;
  for (const std::string& text : headers_) {
    auto header = parse_header(text);
    if (!header) return header.error();
    spec.headers.push_back(std::move(*header));
  }
  for (const std::string& text : attributes_) {
    auto pair = split(text, '=', "--attribute", "name=value");
    if (!pair) return pair.error();
    spec.attributes.push_back(*pair);
  }
  for (const std::string& text : costs_) {
    auto cost = parse_cost(text);
    if (!cost) return cost.error();
    spec.costs.push_back(*cost);
  }
  if (!wire::is_token(spec.method)) {
    return bad("--method `" + policy::printable(spec.method) + "` is no HTTP method");
  }
  if (spec.path.empty()) return bad("--path is empty; the shortest path is `/`");
  if (!spec.client_ip.empty() && !policy::Address::parse(spec.client_ip)) {
    return bad("--client-ip `" + spec.client_ip + "` is not an IP address");
  }
  return spec;
}

std::optional<Error> unknown_unit(const RequestSpec& spec, const policy::Policy& policy) {
  for (const auto& [unit, cost] : spec.costs) {
    if (unit.empty() || std::ranges::find(policy.units, unit) != policy.units.end()) continue;
    std::string known;
    for (const std::string& name : policy.units)
      known += (known.empty() ? "`" : ", `") + name + "`";
    return bad("--cost `" + policy::printable(unit) + "=" + std::to_string(cost) +
               "`: no limit of this policy counts that unit; there is " + known);
  }
  return std::nullopt;
}

std::string check_body(const RequestSpec& spec) {
  namespace json = boost::json;
  json::object body;
  body["method"] = spec.method;
  body["path"] = spec.path;
  if (!spec.client_ip.empty()) body["client_ip"] = spec.client_ip;
  const auto object = [](const RequestSpec::Pairs& pairs) {
    json::object o;
    for (const auto& [name, value] : pairs) o[name] = value;
    return o;
  };
  if (!spec.headers.empty()) body["headers"] = object(spec.headers);
  if (!spec.attributes.empty()) body["attributes"] = object(spec.attributes);
  json::object cost;
  for (const auto& [unit, n] : spec.costs) {
    if (unit.empty()) {
      body["cost"] = n;
    } else {
      cost[unit] = n;
    }
  }
  if (!cost.empty()) body["cost"] = std::move(cost);
  if (spec.peek) body["peek"] = true;
  if (spec.stage == identity::StageFilter::pre_auth) body["stage"] = "pre";
  if (spec.stage == identity::StageFilter::post_auth) body["stage"] = "post";
  return json::serialize(body);
}

}  // namespace weir::cli
