// A request's target and headers -> its path, its address, the values of its keys and a key tuple.
//
// Input: lines; the peer, the target, then `name: value` headers. Whatever they are: nothing
// crashes, every bound holds, and a client cannot change what the trusted proxy wrote at the right.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "identity/address.h"
#include "identity/caller.h"
#include "identity/show.h"

namespace {

using weir::identity::Caller;
using weir::identity::Facts;
using weir::identity::Field;
using namespace weir::policy;

void check(bool good) {
  if (!good) std::abort();
}

IdentityKey key(const char* name, Source source, const char* argument, bool lower = false) {
  IdentityKey k;
  k.name = name;
  k.source = source;
  k.argument = argument;
  k.lower = lower;
  return k;
}

Policy make_policy(ClientAddress source) {
  Policy policy;
  policy.tiers.resize(2);
  policy.tiers[1].name = "pro";
  policy.listeners.trusted_proxies = {*Cidr::parse("10.0.0.0/8"), *Cidr::parse("::1")};
  policy.listeners.client_address = source;
  policy.listeners.client_address_header = "x-real-ip";
  policy.identity.keys = {
      key("ip", Source::ip, ""),
      key("api_key", Source::header, "x-api-key"),
      key("user", Source::jwt, "sub"),
      key("tenant", Source::jwt, "org_id", true),
      key("token", Source::query, "token", true),
      key("sid", Source::cookie, "sid"),
      key("email", Source::header, "x-email", true),
  };
  policy.identity.keys[kApiKey].is_api_key = true;
  policy.identity.api_key_trusted = true;
  policy.identity.jwt_from_gateway = true;
  policy.identity.tier_claim = "plan";
  return policy;
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return line;
}

void check_path(std::string_view target) {
  static std::array<char, kMaxPath> out;
  for (int bits = 0; bits < 8; ++bits) {
    const PathRules rules{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    const auto path = normalize_path(target, rules, out);
    if (!path || *path == "*") continue;
    check(!path->empty() && path->front() == '/' && path->size() <= kMaxPath);
    check(path->find("//") == std::string_view::npos);
    check((std::string(*path) + "/").find("/../") == std::string::npos);
  }
}

void check_caller(const Policy& policy, const Facts& facts) {
  Caller caller(policy, nullptr, facts);
  weir::identity::KeyHasher key({1, 2}, weir::identity::KeyKind::caller);
  for (std::size_t i = 0; i < policy.identity.keys.size(); ++i) {
    const auto id = static_cast<KeyId>(i);
    const auto value = caller.value(id);
    check(!value || (!value->empty() && value->size() <= weir::identity::kMaxKeyValue));
    if (value) weir::identity::show_value(Show::plain, *value);
    caller.append(key, KeyPart{false, {id}, ""}, true);
  }
  check(caller.tier() < policy.tiers.size());
  if (caller.address()) check(Address::parse(caller.address()->text()) == caller.address());
}

// The same headers, and a last list entry that the trusted proxy wrote.
void check_proxy(const Policy& policy, std::vector<Field> headers, const char* name,
                 const char* entry) {
  headers.push_back({name, entry});
  const auto client =
      weir::identity::client_address(policy.listeners, *Address::parse("10.0.0.1"), headers);
  check(client == *Address::parse("203.0.113.9"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Policy kForwardedFor = make_policy(ClientAddress::x_forwarded_for);
  static const Policy kForwarded = make_policy(ClientAddress::forwarded);
  static const Policy kSingle = make_policy(ClientAddress::single_header);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Facts facts;
  facts.method = "GET";
  facts.peer = Address::parse_with_port(take_line(rest));
  facts.target = take_line(rest);
  std::vector<Field> headers;
  while (!rest.empty() && headers.size() < 64) {
    const std::string_view line = take_line(rest);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.push_back({line.substr(0, colon), line.substr(colon + 1)});
  }
  facts.headers = headers;
  check_path(facts.target);
  for (const Policy* policy : {&kForwardedFor, &kForwarded, &kSingle}) check_caller(*policy, facts);
  check_proxy(kForwardedFor, headers, "X-Forwarded-For", "203.0.113.9");
  check_proxy(kForwarded, headers, "Forwarded", "for=\"203.0.113.9:80\"");
  return 0;
}
