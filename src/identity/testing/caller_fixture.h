// A policy with keys of every source, requests, and what a Caller makes of them: for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "identity/caller.h"

namespace weir::identity::testing {

using policy::Address;
using policy::Cidr;
using policy::IdentityKey;
using policy::KeyId;
using policy::KeyPart;
using policy::Policy;
using policy::Source;

inline std::string base64url(std::string_view text) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kDigits[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += kDigits[held << (6 - bits) & 63];
  return out;
}

inline std::string bearer(std::string_view payload) {
  return "Bearer eyJhbGciOiJFUzI1NiJ9." + base64url(payload) + ".c2ln";
}

inline IdentityKey key(std::string name, Source source, std::string argument) {
  IdentityKey result;
  result.name = std::move(name);
  result.source = source;
  result.argument = std::move(argument);
  return result;
}

enum : KeyId { kTenant = 3, kHeader, kQuery, kCookie, kEmail, kService, kSecondHeader };

inline Policy make_policy() {
  Policy policy;
  for (const char* name : {"anonymous", "free", "pro"}) {
    policy.tiers.emplace_back();
    policy.tiers.back().name = name;
  }
  policy.identity.keys = {
      key("ip", Source::ip, ""),
      key("api_key", Source::header, "x-api-key"),
      key("user", Source::jwt, "sub"),
      key("tenant", Source::jwt, "org_id"),
      key("xuser", Source::header, "x-user"),
      key("q", Source::query, "token"),
      key("sid", Source::cookie, "sid"),
      key("email", Source::header, "x-email"),
      key("service", Source::attribute, "service"),
      key("xother", Source::header, "x-other"),
  };
  policy.identity.keys[policy::kApiKey].is_api_key = true;
  policy.identity.keys[kEmail].lower = true;
  policy.identity.jwt_from_gateway = true;
  policy.identity.shared_networks = {*Cidr::parse("203.0.113.0/24"), *Cidr::parse("2001:db8::/32")};
  policy.listeners.trusted_proxies = {*Cidr::parse("10.0.0.0/8")};
  return policy;
}

inline std::shared_ptr<Accounts> make_accounts(const Policy& policy) {
  std::string text;
  for (const auto& [api_key, tier, name] :
       {std::tuple{"pro-key", "pro", "acme"}, std::tuple{"free-key", "free", "bob"}}) {
    text += to_hex(hash_api_key(api_key)) + "," + tier + "," + name + "\n";
  }
  const Accounts::Loaded loaded = Accounts::load_text(text, "keys.csv", policy);
  for (const auto& finding : loaded.findings) ADD_FAILURE() << finding.message;
  return loaded.accounts;
}

// One request and its caller, with everything that must outlive it.
struct Request {
  std::vector<Field> headers;
  std::vector<Field> attributes;
  std::string target = "/x";
  std::optional<Address> peer = Address::parse("198.51.100.9");

  Facts facts() const {
    Facts facts;
    facts.method = "GET";
    facts.target = target;
    facts.peer = peer;
    facts.headers = headers;
    facts.attributes = attributes;
    return facts;
  }
};

inline std::string value_of(const Policy& policy, const Request& request, KeyId id,
                            const Accounts* accounts = nullptr) {
  const Facts facts = request.facts();
  Caller caller(policy, accounts, facts);
  const auto first = caller.value(id);
  std::string text = first ? "[" + std::string(*first) + "]" : "none";
  EXPECT_EQ(caller.value(id), first);  // and again, from what was kept
  return text;
}

inline std::string tuple_of(const Policy& policy, const Request& request,
                            const std::vector<KeyPart>& parts, bool stand_in = true,
                            const Accounts* accounts = nullptr, std::string_view class_name = "c") {
  const Facts facts = request.facts();
  Caller caller(policy, accounts, facts);
  KeyHasher key({1, 2}, KeyKind::caller);
  base::Digest of_class;
  bool by_caller = false;
  for (const KeyPart& part : parts) {
    if (part.is_class) {
      of_class = class_key({1, 2}, class_name);
      continue;
    }
    by_caller = true;
    if (caller.append(key, part, stand_in) == Filled::missing) return "missing";
  }
  const base::Digest digest =
      limit_key({1, 2}, 7) ^ of_class ^ (by_caller ? key.finish() : base::Digest{});
  return std::to_string(digest.lo) + " " + std::to_string(digest.hi);
}

inline KeyPart chain(std::vector<KeyId> alternatives) {
  return {false, std::move(alternatives), ""};
}
inline const KeyPart kClassWord{true, {}, "class"};

}  // namespace weir::identity::testing
