#include "identity/caller.h"
#include "base/testing/count_allocations.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "identity/testing/caller_fixture.h"

namespace weir::identity {
namespace {

using namespace testing;

TEST(Caller, AddressIsCutToThePolicysPrefix) {
  const Policy policy = make_policy();
  Request request;
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "[198.51.100.9]");
  request.peer = Address::parse("2001:db8:1:2:3:4:5:6");
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "[2001:db8:1:2::]");
  request.peer = Address::parse("::ffff:102:304");
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "[1.2.3.4]");
  request.peer = Address::parse("10.0.0.1");
  request.headers = {{"X-Forwarded-For", "6.6.6.6, 198.51.100.7"}};
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "[198.51.100.7]");
  request.peer = std::nullopt;
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "none");
}

TEST(Caller, AToldClientAddressNeedsNoHeaders) {
  const Policy policy = make_policy();
  const std::vector<Field> headers{{"X-Forwarded-For", "6.6.6.6"}};
  Facts facts;
  facts.client = Address::parse("203.0.113.7");
  facts.peer = Address::parse("10.0.0.1");
  facts.headers = headers;
  Caller caller(policy, nullptr, facts);
  EXPECT_EQ(caller.address()->text(), "203.0.113.7");
  EXPECT_TRUE(caller.shared_address());
}

TEST(Caller, SharedNetworksAreOfTheClientAddress) {
  const Policy policy = make_policy();
  const auto shared = [&](const char* peer) {
    Facts facts;
    facts.peer = Address::parse(peer);
    return Caller(policy, nullptr, facts).shared_address();
  };
  EXPECT_TRUE(shared("203.0.113.200"));
  EXPECT_TRUE(shared("::ffff:203.0.113.200"));
  EXPECT_FALSE(shared("203.0.114.1"));
  EXPECT_TRUE(shared("2001:db8:ffff::1"));
  EXPECT_FALSE(shared("2001:db9::1"));
}

TEST(Caller, AnApiKeyCountsOnlyWhenAnAccountKnowsIt) {
  Policy policy = make_policy();
  const auto accounts = make_accounts(policy);
  Request known{{{"X-API-Key", "pro-key"}}, {}};
  Request unknown{{{"X-API-Key", "made-up"}}, {}};
  EXPECT_EQ(value_of(policy, known, policy::kApiKey, accounts.get()), "[pro-key]");
  EXPECT_EQ(value_of(policy, unknown, policy::kApiKey, accounts.get()), "none");
  EXPECT_EQ(value_of(policy, known, policy::kApiKey, nullptr), "none");
  policy.identity.api_key_trusted = true;
  EXPECT_EQ(value_of(policy, unknown, policy::kApiKey, nullptr), "[made-up]");

  const Facts facts = known.facts();
  Caller caller(policy, accounts.get(), facts);
  ASSERT_NE(caller.account(), nullptr);
  EXPECT_EQ(caller.account()->name, "acme");
  EXPECT_EQ(caller.tier(), 2);
}

TEST(Caller, AnUnknownApiKeyIsCountedByAddress) {
  const Policy policy = make_policy();
  const auto accounts = make_accounts(policy);
  const std::vector<KeyPart> client{chain({policy::kApiKey, policy::kUserKey, policy::kIpKey})};
  const auto tuple = [&](const char* api_key) {
    return tuple_of(policy, Request{{{"X-Api-Key", api_key}}, {}}, client, true, accounts.get());
  };
  EXPECT_EQ(tuple("made-up-1"), tuple("made-up-2"));
  EXPECT_EQ(tuple("made-up-1"), tuple_of(policy, Request{}, client));
  EXPECT_NE(tuple("pro-key"), tuple("free-key"));
  EXPECT_NE(tuple("pro-key"), tuple("made-up-1"));
}

TEST(Caller, ApiKeysFromTheAuthorizationHeader) {
  Policy policy = make_policy();
  policy.identity.api_key_trusted = true;
  policy.identity.keys[policy::kApiKey].argument = "authorization";
  const auto value = [&](const char* header) {
    return value_of(policy, Request{{{"Authorization", header}}, {}}, policy::kApiKey);
  };
  EXPECT_EQ(value("Bearer k1"), "[k1]");
  EXPECT_EQ(value("ApiKey k1"), "[k1]");
  EXPECT_EQ(value("Basic k1"), "none");
}

TEST(Caller, TierFromAccountThenClaimThenDefault) {
  Policy policy = make_policy();
  const auto accounts = make_accounts(policy);
  policy.identity.tier_claim = "plan";
  const auto tier = [&](const std::vector<Field>& headers) {
    Facts facts;
    facts.headers = headers;
    return policy.tiers[Caller(policy, accounts.get(), facts).tier()].name;
  };
  const std::string pro = bearer(R"({"plan":"pro"})");
  const std::string unknown = bearer(R"({"plan":"platinum"})");
  EXPECT_EQ(tier({}), "anonymous");
  EXPECT_EQ(tier({{"Authorization", pro}}), "pro");
  EXPECT_EQ(tier({{"Authorization", unknown}}), "anonymous");
  EXPECT_EQ(tier({{"X-Api-Key", "free-key"}, {"Authorization", pro}}), "free");
  EXPECT_EQ(tier({{"X-Api-Key", "made-up"}, {"Authorization", pro}}), "pro");
  EXPECT_EQ(tier({{"Weir-Tier", "pro"}, {"X-Tier", "pro"}}), "anonymous");
  policy.identity.default_tier = 1;
  EXPECT_EQ(tier({}), "free");
  policy.identity.tier_from_accounts = false;
  EXPECT_EQ(tier({{"X-Api-Key", "pro-key"}}), "free");
  policy.identity.jwt_from_gateway = false;
  EXPECT_EQ(tier({{"Authorization", pro}}), "free");
}

TEST(Caller, ClaimsOfATokenThatTheGatewayVerified) {
  Policy policy = make_policy();
  const auto value = [&](const char* payload, KeyId id = policy::kUserKey) {
    const std::string token = bearer(payload);
    return value_of(policy, Request{{{"Authorization", token}}, {}}, id);
  };
  EXPECT_EQ(value(R"({"sub":"alice","iss":"https://id.example"})"), "[https://id.example alice]");
  EXPECT_EQ(value(R"({"sub":"alice"})"), "[alice]");
  EXPECT_EQ(value(R"({"sub":"a b"})"), "[ a b]");
  EXPECT_EQ(value(R"({"sub":"b","iss":"a"})"), "[a b]");
  EXPECT_EQ(value(R"({"sub":"alice","iss":"a b"})"), "none");
  EXPECT_EQ(value(R"({"sub":"alice","iss":["a"]})"), "none");
  EXPECT_EQ(value(R"({"sub":"alice","iss":""})"), "none");
  EXPECT_EQ(value(R"({"iss":"a"})"), "none");
  EXPECT_EQ(value(R"({"org_id":42})", kTenant), "[42]");
  EXPECT_EQ(value(R"({"org_id":{"a":1}})", kTenant), "none");
  EXPECT_EQ(value(R"({"org_id":"x")", kTenant), "none");
  policy.identity.jwt_from_gateway = false;
  EXPECT_EQ(value(R"({"sub":"alice"})"), "none");
  EXPECT_EQ(value(R"({"org_id":42})", kTenant), "none");
}

TEST(Caller, SubjectsOfDifferentIssuersAreDifferent) {
  const Policy policy = make_policy();
  std::map<std::string, std::string> seen;
  const std::vector<std::string> texts{"",   "a",    "b",   "a b", " ",    " a",
                                       "a ", "a b ", "b a", "  ",  "a  b", "\\u0000"};
  for (const std::string& issuer : texts) {
    for (const std::string& subject : texts) {
      for (const bool has_issuer : {true, false}) {
        const std::string payload = has_issuer
                                        ? R"({"iss":")" + issuer + R"(","sub":")" + subject + "\"}"
                                        : R"({"sub":")" + subject + "\"}";
        const std::string token = bearer(payload);
        const std::string value =
            value_of(policy, Request{{{"Authorization", token}}, {}}, policy::kUserKey);
        if (value == "none") continue;
        const auto [it, fresh] = seen.emplace(value, payload);
        EXPECT_TRUE(fresh || it->second == payload) << payload << " and " << it->second;
      }
    }
  }
  EXPECT_GT(seen.size(), 10U);
}

// C53: a missing, empty or repeated attribute.
TEST(Caller, MissingEmptyAndRepeatedPartsAreMissing) {
  const Policy policy = make_policy();
  const std::vector<KeyPart> parts{chain({kHeader})};
  const Request none{};
  const Request empty{{{"X-User", " "}}, {}};
  const Request twice{{{"X-User", "a"}, {"X-User", "a"}}, {}};
  const Request underscored{{{"X_User", "a"}}, {}};
  const Request one{{{"X-User", "a"}}, {}};
  const std::string by_address = tuple_of(policy, Request{}, {chain({policy::kIpKey})});
  for (const Request& request : {none, empty, twice, underscored}) {
    EXPECT_EQ(tuple_of(policy, request, parts, false), "missing");
    EXPECT_EQ(tuple_of(policy, request, parts, true), by_address);
  }
  EXPECT_NE(tuple_of(policy, one, parts, true), by_address);
  EXPECT_EQ(tuple_of(policy, one, parts, true), tuple_of(policy, one, parts, false));
  Request nowhere;
  nowhere.peer = std::nullopt;
  EXPECT_EQ(tuple_of(policy, nowhere, parts, true), "missing");
  EXPECT_EQ(tuple_of(policy, nowhere, {chain({policy::kIpKey})}, true), "missing");
}

TEST(Caller, SaysHowAPartWasFilled) {
  const Policy policy = make_policy();
  const Request request{{{"X-User", "a"}}, {}};
  const Facts facts = request.facts();
  Caller caller(policy, nullptr, facts);
  KeyHasher key({1, 2}, KeyKind::caller);
  EXPECT_EQ(caller.append(key, chain({kHeader, policy::kIpKey}), true), Filled::identity);
  EXPECT_EQ(caller.append(key, chain({kTenant, policy::kIpKey}), false), Filled::by_address);
  EXPECT_EQ(caller.append(key, chain({policy::kIpKey, kHeader}), false), Filled::by_address);
  EXPECT_EQ(caller.append(key, chain({kTenant}), true), Filled::by_address);
  EXPECT_EQ(caller.append(key, chain({kTenant}), false), Filled::missing);
}

// C54: control characters, spaces, long keys.
TEST(Caller, EveryByteOfAKeyCounts) {
  const Policy policy = make_policy();
  const std::vector<KeyPart> parts{chain({kHeader})};
  std::vector<std::string> values{"a",
                                  std::string("a\0x", 3),
                                  std::string("a\0", 2),
                                  std::string("a\0y", 3),
                                  "a\r\nb",
                                  "a b",
                                  "a\tb",
                                  "a\xff",
                                  "\xff",
                                  "A",
                                  "a,b",
                                  "a:b",
                                  "a|b",
                                  "a%20b",
                                  std::string(255, 'k'),
                                  std::string(250, 'k') + "1",
                                  std::string(250, 'k') + "2",
                                  std::string(251, 'k'),
                                  std::string(256, 'k')};
  std::map<std::string, std::string> seen;
  for (const std::string& value : values) {
    const std::string tuple = tuple_of(policy, Request{{{"X-User", value}}, {}}, parts, false);
    EXPECT_NE(tuple, "missing") << value;
    EXPECT_TRUE(seen.emplace(tuple, value).second) << value;
  }
  for (const std::size_t size : {std::size_t{257}, std::size_t{64 * 1024}, std::size_t{1} << 20}) {
    const std::string value(size, 'k');
    EXPECT_EQ(tuple_of(policy, Request{{{"X-User", value}}, {}}, parts, false), "missing");
  }
}

TEST(Caller, LongQueryCookieAndTokenPartsAreMissing) {
  const Policy policy = make_policy();
  Request request;
  request.target = "/x?token=" + std::string(256, 'a');
  EXPECT_EQ(value_of(policy, request, kQuery), "[" + std::string(256, 'a') + "]");
  request.target += "a";
  EXPECT_EQ(value_of(policy, request, kQuery), "none");
  request.target = "/x?token=%61" + std::string(255, 'a');
  EXPECT_EQ(value_of(policy, request, kQuery), "[" + std::string(256, 'a') + "]");
  request.target += "a";
  EXPECT_EQ(value_of(policy, request, kQuery), "none");
  const std::string cookie = "sid=" + std::string(257, 'a');
  request.headers = {{"Cookie", cookie}};
  EXPECT_EQ(value_of(policy, request, kCookie), "none");
  const std::string token = bearer(R"({"x":")" + std::string(9'000, 'a') + R"(","sub":"a"})");
  request.headers = {{"Authorization", token}};
  EXPECT_EQ(value_of(policy, request, policy::kUserKey), "none");
}

TEST(Caller, ReadsQueryAndCookie) {
  const Policy policy = make_policy();
  Request request{{{"Cookie", "a=b; sid=s1"}}, {}};
  request.target = "/x?a=1&token=t%201";
  EXPECT_EQ(value_of(policy, request, kQuery), "[t 1]");
  EXPECT_EQ(value_of(policy, request, kCookie), "[s1]");
}

// rack-attack 6.5.0: case and spaces of an e-mail address made new callers.
TEST(CallerBypass, RackAttackEmailCaseAndSpace) {
  const Policy policy = make_policy();
  for (const char* email : {"a@example.com", "A@Example.COM", "  a@example.com\t"}) {
    EXPECT_EQ(value_of(policy, Request{{{"X-Email", email}}, {}}, kEmail), "[a@example.com]");
  }
  EXPECT_EQ(value_of(policy, Request{{{"X-Email", "\xc3\x84@x"}}, {}}, kEmail),
            value_of(policy, Request{{{"X-Email", "\xc3\xa4@x"}}, {}}, kEmail));
  EXPECT_EQ(value_of(policy, Request{{{"X-User", "A"}}, {}}, kHeader), "[A]");
}

TEST(CallerBypass, TraefikUnderscoredNames) {
  const Policy policy = make_policy();
  Request request{{{"X_Forwarded_For", "6.6.6.6"}, {"x_api_key", "pro-key"}, {"X_User", "a"}}, {}};
  request.peer = Address::parse("10.0.0.1");
  const auto accounts = make_accounts(policy);
  EXPECT_EQ(value_of(policy, request, policy::kIpKey), "[10.0.0.1]");
  EXPECT_EQ(value_of(policy, request, policy::kApiKey, accounts.get()), "none");
  EXPECT_EQ(value_of(policy, request, kHeader), "none");
}

TEST(CallerBypass, ExpressRateLimitMappedAddresses) {
  Policy policy = make_policy();
  policy.identity.prefix_v6 = 56;
  const auto value = [&](const char* peer) {
    Request request;
    request.peer = Address::parse(peer);
    return value_of(policy, request, policy::kIpKey);
  };
  EXPECT_EQ(value("::ffff:1.2.3.4"), "[1.2.3.4]");
  EXPECT_EQ(value("::ffff:102:304"), "[1.2.3.4]");
  EXPECT_EQ(value("::ffff:102:305"), "[1.2.3.5]");
  EXPECT_EQ(value("2001:db8:1234:5678::1.2.3.4"), "[2001:db8:1234:5600::]");
}

TEST(CallerBypass, RotatingAnUnverifiedTokenGainsNothing) {
  Policy policy = make_policy();
  policy.identity.jwt_from_gateway = false;
  const std::vector<KeyPart> client{chain({policy::kApiKey, policy::kUserKey, policy::kIpKey})};
  const std::string one = bearer(R"({"sub":"1"})");
  const std::string two = bearer(R"({"sub":"2"})");
  EXPECT_EQ(tuple_of(policy, Request{{{"Authorization", one}}, {}}, client),
            tuple_of(policy, Request{{{"Authorization", two}}, {}}, client));
}

TEST(Caller, AttributesStandForKeysAndConditions) {
  const Policy policy = make_policy();
  Request request;
  request.attributes = {
      {"service", "billing"}, {"email", " A@B "}, {"region", "eu"}, {"user", "u"}};
  EXPECT_EQ(value_of(policy, request, kService), "[billing]");
  EXPECT_EQ(value_of(policy, request, kEmail), "[a@b]");
  EXPECT_EQ(value_of(policy, request, policy::kUserKey), "[u]");
  const Facts facts = request.facts();
  Caller caller(policy, nullptr, facts);
  EXPECT_TRUE(caller.holds("service", "billing"));
  EXPECT_FALSE(caller.holds("service", "mail"));
  EXPECT_TRUE(caller.holds("region", "eu"));
  EXPECT_FALSE(caller.holds("Region", "eu"));
  EXPECT_FALSE(caller.holds("nothing", ""));
  EXPECT_TRUE(caller.holds("email", "a@b"));
  request.attributes.push_back({"service", "billing"});
  EXPECT_EQ(value_of(policy, request, kService), "none");
}

TEST(Caller, AStatedApiKeyMustBeKnownToo) {
  const Policy policy = make_policy();
  const auto accounts = make_accounts(policy);
  Request request;
  request.attributes = {{"api_key", "made-up"}};
  EXPECT_EQ(value_of(policy, request, policy::kApiKey, accounts.get()), "none");
  request.attributes = {{"api_key", "pro-key"}};
  EXPECT_EQ(value_of(policy, request, policy::kApiKey, accounts.get()), "[pro-key]");
}

TEST(Caller, ConditionsOnHeadersClaimsAndAddresses) {
  const Policy policy = make_policy();
  const std::string token = bearer(R"({"org_id":"acme"})");
  Request request{{{"X-User", "alice"}, {"Authorization", token}}, {}};
  request.peer = Address::parse("2001:db8:1:2::9");
  const Facts facts = request.facts();
  Caller caller(policy, nullptr, facts);
  EXPECT_TRUE(caller.holds("xuser", "alice"));
  EXPECT_TRUE(caller.holds("tenant", "acme"));
  EXPECT_FALSE(caller.holds("tenant", ""));
  EXPECT_FALSE(caller.holds("x-user", "alice"));  // a header is not a name of a key
  EXPECT_TRUE(caller.holds("ip", "2001:db8:1:2::1"));
  EXPECT_TRUE(caller.holds("ip", "2001:db8::/32"));
  EXPECT_FALSE(caller.holds("ip", "2001:db8:1:3::/64"));
  EXPECT_FALSE(caller.holds("ip", "10.0.0.0/8"));
  EXPECT_FALSE(caller.holds("ip", "nonsense"));
}

// An IPv6 address is compared over its first 64 bits, which of a mapped IPv4 address are all zero.
TEST(Caller, AnAddressOfOneFamilyHoldsNothingOfTheOther) {
  const Policy policy = make_policy();
  struct Case {
    const char* peer;
    const char* value;
    bool holds;
  };
  for (const Case& c : {Case{"::1", "10.0.0.0/8", false}, Case{"::1", "9.9.9.9", false},
                        Case{"::9.9.9.9", "9.9.9.9", false}, Case{"9.9.9.9", "::/0", false},
                        Case{"9.9.9.9", "9.9.9.9", true}, Case{"::1", "::/0", true},
                        Case{"::ffff:9.9.9.9", "9.0.0.0/8", true}}) {
    Request request{{}, {}};
    request.peer = Address::parse(c.peer);
    const Facts facts = request.facts();
    EXPECT_EQ(Caller(policy, nullptr, facts).holds("ip", c.value), c.holds)
        << c.peer << " " << c.value;
  }
}

TEST(Caller, AllocatesNothing) {
  Policy policy = make_policy();
  policy.identity.tier_claim = "plan";
  const auto accounts = make_accounts(policy);
  const std::string token =
      bearer(R"({"iss":"https://id.example","sub":"alice","org_id":"acme","plan":"pro",)"
             R"("deep":{"a":[1,2,{"b":"c\n\u00e9"}]},"exp":1796052691.5})");
  Request request{{{"X-Forwarded-For", "6.6.6.6, [2001:db8::1]:4711"},
                   {"X-Api-Key", "unknown-key-of-some-length-that-no-small-string-holds"},
                   {"Authorization", token},
                   {"X-User", "alice"},
                   {"X-Email", " Alice@Example.COM "},
                   {"Cookie", "a=b; sid=s1"}},
                  {{"service", "billing"}}};
  request.peer = Address::parse("10.0.0.1");
  request.target = "/x?token=t%201";
  const std::vector<KeyPart> parts{chain({policy::kApiKey, policy::kUserKey, policy::kIpKey}),
                                   chain({kTenant}),
                                   chain({kQuery}),
                                   chain({kCookie}),
                                   chain({kEmail}),
                                   chain({policy::kIpKey})};
  const Facts facts = request.facts();
  const std::string bad_token = bearer("{\"sub\":");
  const std::vector<Field> bad_headers{{"Authorization", bad_token}, {"X-Api-Key", "pro-key"}};
  Facts bad_facts;
  bad_facts.headers = bad_headers;

  const std::size_t before = base::testing::allocations_so_far();
  Caller caller(policy, accounts.get(), facts);
  KeyHasher key({1, 2}, KeyKind::caller);
  for (const KeyPart& part : parts) {
    ASSERT_NE(caller.append(key, part, true), Filled::missing);
  }
  const bool service = caller.holds("service", "billing");
  const policy::TierId tier = caller.tier();
  Caller bad(policy, accounts.get(), bad_facts);
  const bool bad_user = bad.value(policy::kUserKey).has_value();
  const policy::TierId bad_tier = bad.tier();
  const std::size_t after = base::testing::allocations_so_far();

  EXPECT_GT(before, 0U);  // they are counted
  EXPECT_EQ(after - before, 0U);
  EXPECT_TRUE(service);
  EXPECT_EQ(tier, 2);
  EXPECT_FALSE(bad_user);
  EXPECT_EQ(bad_tier, 2);
  EXPECT_EQ(*caller.value(policy::kUserKey), "https://id.example alice");
}

// As many keys as a policy may have, each of the largest size and each decoded or folded.
TEST(Caller, TheLargestPolicyFits) {
  Policy policy = make_policy();
  policy.identity.keys.resize(3);
  std::string payload =
      R"({"iss":")" + std::string(60, 'i') + R"(","sub":")" + std::string(190, 's') + "\"";
  while (policy.identity.keys.size() < kMaxKeys) {
    const std::string name = "c" + std::to_string(policy.identity.keys.size());
    policy.identity.keys.push_back(key(name, Source::jwt, name));
    policy.identity.keys.back().lower = true;
    payload += ",\"" + name + "\":\"" + std::string(kMaxKeyValue, 'V') + "\"";
  }
  payload += "}";
  const std::string token = bearer(payload);
  ASSERT_GT(token.size(), std::size_t{8 * 1024});  // so it is a missing one
  const Request request{{{"Authorization", token}}, {}};
  const Facts facts = request.facts();
  Caller caller(policy, nullptr, facts);
  EXPECT_FALSE(caller.value(5));

  for (std::size_t i = 3; i < kMaxKeys; ++i) {
    policy.identity.keys[i].source = Source::query;
  }
  std::string target = "/x?";
  for (std::size_t i = 3; i < kMaxKeys; ++i) {
    target += "c" + std::to_string(i) + "=%56" + std::string(kMaxKeyValue - 1, 'V') + "&";
  }
  Request wide;
  wide.target = target;
  const std::string small =
      bearer(R"({"iss":")" + std::string(60, 'i') + R"(","sub":")" + std::string(190, 's') + "\"}");
  wide.headers = {{"Authorization", small}};
  const Facts wide_facts = wide.facts();
  Caller full(policy, nullptr, wide_facts);
  for (std::size_t i = 0; i < kMaxKeys; ++i) full.value(static_cast<KeyId>(i));
  for (std::size_t i = 3; i < kMaxKeys; ++i) {
    EXPECT_EQ(full.value(static_cast<KeyId>(i)), std::string(kMaxKeyValue, 'v'));
  }
  EXPECT_EQ(full.value(policy::kUserKey), std::string(60, 'i') + " " + std::string(190, 's'));
}

}  // namespace
}  // namespace weir::identity
