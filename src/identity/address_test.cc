#include "identity/address.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "identity/forwarded.h"

namespace weir::identity {
namespace {

using policy::Address;
using policy::Cidr;
using policy::ClientAddress;

policy::Listeners listeners(ClientAddress source = ClientAddress::x_forwarded_for) {
  policy::Listeners result;
  for (const char* network : {"127.0.0.0/8", "10.0.0.0/8", "2001:db8:aaaa::/48"}) {
    result.trusted_proxies.push_back(*Cidr::parse(network));
  }
  result.client_address = source;
  return result;
}

std::string client(const policy::Listeners& from, const char* peer,
                   const std::vector<Field>& headers) {
  return client_address(from, *Address::parse(peer), headers).masked(32, 64).text();
}

std::string through_proxy(const std::vector<Field>& headers) {
  return client(listeners(), "127.0.0.1", headers);
}

struct Case {
  const char* value;
  const char* want;
};

TEST(ClientAddress, RightMostUntrustedHop) {
  const Case cases[] = {
      {"198.51.100.9", "198.51.100.9"},
      {"6.6.6.6, 198.51.100.9", "198.51.100.9"},
      {"6.6.6.6, 198.51.100.9, 10.1.2.3", "198.51.100.9"},
      {"10.1.1.1, 10.1.2.3", "10.1.1.1"},
      {"198.51.100.9:4711", "198.51.100.9"},
      {"[2001:db8::1]:4711", "2001:db8::"},
      {"[2001:db8::1]", "2001:db8::"},
      {"::ffff:198.51.100.9", "198.51.100.9"},
      {"::ffff:c633:6409", "198.51.100.9"},
      {"unknown", "127.0.0.1"},
      {"6.6.6.6, unknown", "127.0.0.1"},
      {"6.6.6.6, unknown, 10.1.1.1", "10.1.1.1"},
      {"198.51.100.9,", "198.51.100.9"},
      {",198.51.100.9", "198.51.100.9"},
      {"198.51.100.9 , , ,\t", "198.51.100.9"},
      {"6.6.6.6, 198.51.100.09", "127.0.0.1"},
      {"6.6.6.6, 198.51.100.09, 10.1.1.1", "10.1.1.1"},
      {"0xC6336409", "127.0.0.1"},
      {"fe80::1%eth0", "127.0.0.1"},
      {"2001:DB8::1, 2001:db8:aaaa::7", "2001:db8::"},
      {"6.6.6.6, ::ffff:10.1.2.3", "6.6.6.6"},
      {"", "127.0.0.1"},
      {" , ", "127.0.0.1"},
      {"_hidden", "127.0.0.1"},
      {"\"198.51.100.9\"", "127.0.0.1"},
      {"6.6.6.6 198.51.100.9", "127.0.0.1"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(through_proxy({{"X-Forwarded-For", c.value}}), c.want) << c.value;
  }
}

TEST(ClientAddress, JoinsFieldLinesInOrder) {
  EXPECT_EQ(through_proxy({{"X-Forwarded-For", "6.6.6.6"}, {"x-forwarded-for", "198.51.100.9"}}),
            "198.51.100.9");
  EXPECT_EQ(through_proxy({{"X-Forwarded-For", "7.7.7.7, 198.51.100.9"},
                           {"Host", "x"},
                           {"X-FORWARDED-FOR", "10.1.1.1"}}),
            "198.51.100.9");
  EXPECT_EQ(through_proxy({{"X-Forwarded-For", "10.1.1.1"}, {"X-Forwarded-For", "10.2.2.2"}}),
            "10.1.1.1");
  EXPECT_EQ(through_proxy({{"X-Forwarded-For", "unknown"}, {"X-Forwarded-For", "10.2.2.2"}}),
            "10.2.2.2");
}

TEST(ClientAddress, NothingIsTrustedByDefault) {
  EXPECT_EQ(client(policy::Listeners{}, "127.0.0.1", {{"X-Forwarded-For", "6.6.6.6"}}),
            "127.0.0.1");
}

TEST(ClientAddress, AnUntrustedPeerIsTheClient) {
  for (ClientAddress source : {ClientAddress::x_forwarded_for, ClientAddress::forwarded,
                               ClientAddress::single_header, ClientAddress::peer}) {
    policy::Listeners from = listeners(source);
    from.client_address_header = "x-real-ip";
    EXPECT_EQ(client(from, "203.0.113.9",
                     {{"X-Forwarded-For", "6.6.6.6"},
                      {"Forwarded", "for=6.6.6.6"},
                      {"X-Real-IP", "6.6.6.6"}}),
              "203.0.113.9");
  }
}

// C22: a fresh left-most entry each time is the same caller each time.
TEST(ClientAddress, LeftMostEntriesAreTheClientsOwnInvention) {
  for (int i = 1; i < 20; ++i) {
    const std::string value = std::to_string(i) + ".6.6.6, 203.0.113.9";
    EXPECT_EQ(client(listeners(), "10.0.0.1", {{"X-Forwarded-For", value}}), "203.0.113.9");
  }
  EXPECT_EQ(client(listeners(), "10.0.0.1", {{"X-Forwarded-For", "203.0.113.9, garbage"}}),
            "10.0.0.1");
}

TEST(ClientAddress, ReadsTheOneConfiguredHeaderOnly) {
  EXPECT_EQ(through_proxy({{"Forwarded", "for=6.6.6.6"}, {"X-Real-IP", "6.6.6.6"}}), "127.0.0.1");
  EXPECT_EQ(client(listeners(ClientAddress::peer), "127.0.0.1", {{"X-Forwarded-For", "6.6.6.6"}}),
            "127.0.0.1");
}

TEST(ClientAddress, NamesWithUnderscoresNeverCount) {
  EXPECT_EQ(through_proxy({{"X_Forwarded_For", "6.6.6.6"}, {"X-Forwarded_For", "6.6.6.6"}}),
            "127.0.0.1");
  policy::Listeners odd = listeners(ClientAddress::single_header);
  odd.client_address_header = "x_real_ip";
  EXPECT_EQ(client(odd, "127.0.0.1", {{"x_real_ip", "6.6.6.6"}}), "127.0.0.1");
}

TEST(ClientAddress, SingleValueHeaders) {
  policy::Listeners from = listeners(ClientAddress::single_header);
  from.client_address_header = "cf-connecting-ip";
  const auto with = [&](const std::vector<Field>& headers) {
    return client(from, "10.0.0.1", headers);
  };
  EXPECT_EQ(with({{"CF-Connecting-IP", " 198.51.100.9 "}}), "198.51.100.9");
  EXPECT_EQ(with({{"CF-Connecting-IP", "[2001:db8::1]:99"}}), "2001:db8::");
  EXPECT_EQ(with({{"CF-Connecting-IP", "198.51.100.9, 6.6.6.6"}}), "10.0.0.1");
  EXPECT_EQ(with({{"CF-Connecting-IP", "198.51.100.9"}, {"cf-connecting-ip", "198.51.100.9"}}),
            "10.0.0.1");
  EXPECT_EQ(with({{"CF-Connecting-IP", "unknown"}}), "10.0.0.1");
  EXPECT_EQ(with({{"CF-Connecting-IP", ""}}), "10.0.0.1");
  EXPECT_EQ(with({}), "10.0.0.1");
}

TEST(ClientAddress, Forwarded) {
  const Case cases[] = {
      {"for=192.0.2.60;proto=http;by=203.0.113.43, for=\"[2001:db8:cafe::17]:4711\"",
       "2001:db8:cafe::"},
      {"for=\"[2001:db8:cafe::17]:4711\", for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"},
      {"For=192.0.2.60", "192.0.2.60"},
      {"proto=https;FOR=\"192.0.2.60:8080\"", "192.0.2.60"},
      {"for=192.0.2.60, for=10.1.1.1", "192.0.2.60"},
      {"for=6.6.6.6, for=unknown", "127.0.0.1"},
      {"for=6.6.6.6, for=_hidden, for=10.1.1.1", "10.1.1.1"},
      {"for=\"_SEVKISEK\"", "127.0.0.1"},
      {"for=\"192.0.2.60:_secret\"", "192.0.2.60"},
      {"for=192.0.2.60;proto=\"a,b;c\\\"d,\"", "192.0.2.60"},
      {"for=\"1\\92.0.2.6\\0\"", "192.0.2.60"},
      {"for=192.0.2.60 ; proto=http", "192.0.2.60"},
      {";;for=192.0.2.60;;", "192.0.2.60"},
      {"for=192.0.2.60,", "192.0.2.60"},
      {",,for=192.0.2.60", "192.0.2.60"},
      // Strictly: IPv6 needs quotes and brackets, a port needs quotes, `for` occurs once.
      {"for=2001:db8::1", "127.0.0.1"},
      {"for=\"2001:db8::1\"", "127.0.0.1"},
      {"for=[2001:db8::1]", "127.0.0.1"},
      {"for=192.0.2.60:80", "127.0.0.1"},
      {"for=192.0.2.60;for=6.6.6.6", "127.0.0.1"},
      {"for", "127.0.0.1"},
      {"for=", "127.0.0.1"},
      {"for=\"192.0.2.60", "127.0.0.1"},
      {"for=192.0.2.60\"", "127.0.0.1"},
      {"for =192.0.2.60", "127.0.0.1"},
      {"for=192.0.2.60 proto=http", "127.0.0.1"},
      {"by=192.0.2.60", "127.0.0.1"},
      {"for=\"\"", "127.0.0.1"},
      {"192.0.2.60", "127.0.0.1"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(client(listeners(ClientAddress::forwarded), "127.0.0.1", {{"Forwarded", c.value}}),
              c.want)
        << c.value;
  }
}

TEST(ClientAddress, AnUnbalancedQuoteOfTheClientHidesNothing) {
  for (const char* forged : {"for=\"", "for=\"x, ", "\"", "for=\"\\", "for=\"a\\\"", "\\\""}) {
    const std::string joined = std::string(forged) + ", for=\"[2001:db8:1::9]:4711\"";
    EXPECT_EQ(client(listeners(ClientAddress::forwarded), "127.0.0.1", {{"Forwarded", joined}}),
              "2001:db8:1::")
        << joined;
    EXPECT_EQ(client(listeners(ClientAddress::forwarded), "127.0.0.1",
                     {{"Forwarded", forged}, {"Forwarded", "for=203.0.113.9"}}),
              "203.0.113.9")
        << forged;
  }
}

// Whatever a client writes to the left, the entry of the trusted proxy decides.
TEST(ClientAddress, NoPrefixChangesTheProxysEntry) {
  std::mt19937 random(23);
  const std::string_view alphabet = "1.:[]\"\\,;= for\t_%6";
  for (int i = 0; i < 20'000; ++i) {
    std::string forged;
    for (std::size_t n = random() % 20; n > 0; --n) forged += alphabet[random() % alphabet.size()];
    EXPECT_EQ(through_proxy({{"X-Forwarded-For", forged + ", 203.0.113.9"}}), "203.0.113.9");
    EXPECT_EQ(client(listeners(ClientAddress::forwarded), "127.0.0.1",
                     {{"Forwarded", forged + ",for=\"203.0.113.9:80\";by=10.0.0.1"}}),
              "203.0.113.9")
        << forged;
  }
}

}  // namespace
}  // namespace weir::identity
