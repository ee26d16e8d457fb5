#include "policy/cidr.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir::policy {
namespace {

std::string canonical(std::string_view text) {
  const auto address = Address::parse(text);
  return address ? address->text() : "refused";
}

TEST(Address, ReadsAndPrintsCanonically) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {"198.51.100.9", "198.51.100.9"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::ffff:198.51.100.9", "198.51.100.9"},
      {"::ffff:c633:6409", "198.51.100.9"},
      {"::FFFF:C633:6409", "198.51.100.9"},
      {"0:0:0:0:0:ffff:c633:6409", "198.51.100.9"},
      {"0000:0000:0000:0000:0000:ffff:198.51.100.9", "198.51.100.9"},
      {"::ffff:102:304", "1.2.3.4"},
      {"2001:DB8::1", "2001:db8::1"},
      {"2001:db8:0:0:0:0:0:1", "2001:db8::1"},
      {"2001:db8:1234:5678::1.2.3.4", "2001:db8:1234:5678::102:304"},
      {"64:ff9b::1.2.3.4", "64:ff9b::102:304"},
      {"64:ff9b::102:304", "64:ff9b::102:304"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"::1.2.3.4", "::102:304"},                        // IPv4-compatible is not IPv4-mapped
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},  // RFC 5952 4.2.2: one group stays
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},           // 4.2.3: the longest run
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},     // 4.2.3: the first of equals
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
  };
  for (const Case& c : cases) EXPECT_EQ(canonical(c.text), c.want) << c.text;
}

TEST(Address, RefusesWhatIsNotOneAddress) {
  const char* cases[] = {
      "",
      " ",
      "1.2.3",
      "1.2.3.4.5",
      "198.51.100.09",
      "0xC6336409",
      "1.2.3.256",
      "1.2.3.",
      ".1.2.3",
      "1..2.3",
      "1.2.3.4 ",
      " 1.2.3.4",
      "+1.2.3.4",
      "1.2.3.4:80",
      "3325256713",
      ":",
      ":::",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:8::",
      "1::2::3",
      "1:2:3:4::5:6:7:8",
      "12345::",
      "g::",
      "::ffff:1.2.3.04",
      "::1.2.3.4:5",
      "1.2.3.4::",
      "fe80::1%eth0",
      "[::1]",
      "1:",
      ":1",
      "1:2:3:4:5:6:7:1.2.3.4",
      "::ffff:1.2.3.4.5",
      "unknown",
      "0:0:0:0:0:0:0:00000",
  };
  for (const char* text : cases) EXPECT_EQ(canonical(text), "refused") << text;
  EXPECT_EQ(canonical(std::string_view("1.2.3.4\0", 8)), "refused");
  EXPECT_EQ(canonical(std::string(100'000, ':')), "refused");
}

TEST(Address, StripsPortAndBrackets) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {"198.51.100.9", "198.51.100.9"},
      {"198.51.100.9:4711", "198.51.100.9"},
      {"[2001:db8::1]", "2001:db8::1"},
      {"[2001:db8::1]:4711", "2001:db8::1"},
      {"2001:db8::1", "2001:db8::1"},
      {"[::ffff:198.51.100.9]:1", "198.51.100.9"},
      {"198.51.100.9:", "refused"},
      {"198.51.100.9:65536", "refused"},
      {"198.51.100.9:http", "refused"},
      {"198.51.100.9:-1", "refused"},
      {"[198.51.100.9]", "refused"},
      {"[2001:db8::1", "refused"},
      {"2001:db8::1]", "refused"},
      {"[2001:db8::1]4711", "refused"},
      {"[fe80::1%eth0]:80", "refused"},
      {"[]", "refused"},
      {"", "refused"},
      {":80", "refused"},
  };
  for (const Case& c : cases) {
    const auto address = Address::parse_with_port(c.text);
    EXPECT_EQ(address ? address->text() : "refused", c.want) << c.text;
  }
}

TEST(Address, MasksByFamilyNotBySpelling) {
  const auto masked = [](const char* text) { return Address::parse(text)->masked(32, 56).text(); };
  EXPECT_EQ(masked("::ffff:1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(masked("::ffff:102:304"), "1.2.3.4");
  EXPECT_EQ(masked("2001:db8:1234:5678::1.2.3.4"), "2001:db8:1234:5600::");
  EXPECT_EQ(masked("64:ff9b::1.2.3.4"), masked("64:ff9b::102:304"));
  EXPECT_EQ(Address::parse("203.0.113.200")->masked(24, 64).text(), "203.0.113.0");
  EXPECT_EQ(Address::parse("203.0.113.200")->masked(0, 64).text(), "0.0.0.0");
  EXPECT_EQ(Address::parse("2001:db8::ffff:1")->masked(32, 127).text(), "2001:db8::ffff:0");
  EXPECT_EQ(Address::parse("2001:db8::1")->masked(32, 0).text(), "::");
  EXPECT_EQ(Address::parse("2001:db8::1")->masked(99, 999).text(), "2001:db8::1");
}

TEST(Address, TwoHostsOfOnePrefixShareIt) {
  EXPECT_EQ(Address::parse("2001:db8:1:2:aaaa::1")->masked(32, 64),
            Address::parse("2001:db8:1:2:bbbb::2")->masked(32, 64));
  EXPECT_NE(Address::parse("2001:db8:1:2::1")->masked(32, 64),
            Address::parse("2001:db8:1:3::1")->masked(32, 64));
}

// A random legal spelling of the 16 bytes: case, leading zeros, where "::" stands, dotted tail.
std::string respell(const Address& address, std::mt19937& random) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<>(0, n - 1)(random); };
  if (address.is_v4() && pick(4) == 0) return address.text();
  const bool dotted = pick(2) == 0;
  const int groups = dotted ? 6 : 8;
  const auto value = [&](int i) {
    const std::size_t at = 2 * static_cast<std::size_t>(i);
    return address.bytes[at] << 8 | address.bytes[at + 1];
  };
  int from = pick(groups);
  int to = from;
  while (to < groups && value(to) == 0) ++to;
  if (to == from || pick(3) == 0) from = to = -1;
  std::string text;
  for (int i = 0; i < groups; ++i) {
    if (i == from) {
      text += "::";
      i = to - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    const char* formats[] = {"%x", "%X", "%04x", "%02X"};
    char group[8];
    std::snprintf(group, sizeof group, formats[pick(4)], static_cast<unsigned>(value(i)));
    text += group;
  }
  if (dotted) {
    if (text.back() != ':') text += ':';
    text += std::to_string(address.bytes[12]) + '.' + std::to_string(address.bytes[13]) + '.' +
            std::to_string(address.bytes[14]) + '.' + std::to_string(address.bytes[15]);
  }
  return text;
}

TEST(Address, EverySpellingOfOneAddressIsOneAddress) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    Address address;
    for (auto& byte : address.bytes) {
      byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
    }
    if (random() % 4 == 0) {
      std::fill_n(address.bytes.begin(), 10, std::uint8_t{0});
      address.bytes[10] = address.bytes[11] = 0xff;
    }
    const std::string text = respell(address, random);
    const auto parsed = Address::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, address) << text;
    EXPECT_EQ(Address::parse(address.text()), address) << address.text();
  }
}

// glibc as the second implementation, over strings that are nearly addresses.
TEST(Address, AgreesWithInetPton) {
  std::mt19937 random(11);
  const std::string_view alphabet = "::::..0012f9a%";
  const std::string_view seeds[] = {
      "1.2.3.4",        "::1",  "2001:db8::1",        "1:2:3:4:5:6:7:8",
      "::ffff:1.2.3.4", "1::8", "1:2:3:4:5:6:1.2.3.4"};
  int good = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text(seeds[random() % std::size(seeds)]);
    for (unsigned edits = random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % (text.size() + 1);
      const char c = alphabet[random() % alphabet.size()];
      if (random() % 2 == 0) {
        text.insert(at, 1, c);
      } else if (at < text.size()) {
        text.erase(at, 1);
      }
    }
    Address want;
    bool ok = inet_pton(AF_INET6, text.c_str(), want.bytes.data()) == 1;
    if (!ok && inet_pton(AF_INET, text.c_str(), want.bytes.data() + 12) == 1) {
      ok = true;
      std::fill_n(want.bytes.begin(), 10, std::uint8_t{0});
      want.bytes[10] = want.bytes[11] = 0xff;
    }
    const auto got = Address::parse(text);
    ASSERT_EQ(got.has_value(), ok) << text;
    if (ok) {
      ASSERT_EQ(*got, want) << text;
    }
    good += ok;
  }
  EXPECT_GT(good, 10'000);
}

TEST(Address, PrintsAsInetNtop) {
  std::mt19937 random(13);
  for (int i = 0; i < 20'000; ++i) {
    Address address;
    for (std::size_t g = 0; g < 8; ++g) {
      if (random() % 2 == 0) continue;
      address.bytes[2 * g] = static_cast<std::uint8_t>(random() % 2 ? random() : 0);
      address.bytes[2 * g + 1] = static_cast<std::uint8_t>(random());
    }
    address.bytes[0] = 0x20;  // glibc prints ::a.b.c.d for IPv4-compatible addresses
    char want[INET6_ADDRSTRLEN];
    ASSERT_NE(inet_ntop(AF_INET6, address.bytes.data(), want, sizeof want), nullptr);
    EXPECT_EQ(address.text(), want);
  }
}

TEST(Address, WritesTheLongestFormInFortySixBytes) {
  char out[46];
  const auto longest = Address::parse("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(longest->write(out), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

TEST(Cidr, ReadsNetworks) {
  struct Case {
    const char* text;
    unsigned prefix;
    const char* printed;
  };
  const Case cases[] = {
      {"10.0.0.0/8", 104, "10.0.0.0/8"},          {"0.0.0.0/0", 96, "0.0.0.0/0"},
      {"127.0.0.1", 128, "127.0.0.1/32"},         {"::1", 128, "::1/128"},
      {"2001:db8::/32", 32, "2001:db8::/32"},     {"::/0", 0, "::/0"},
      {"::ffff:10.0.0.0/104", 104, "10.0.0.0/8"}, {"::ffff:0:0/96", 96, "0.0.0.0/0"},
  };
  for (const Case& c : cases) {
    const auto cidr = Cidr::parse(c.text);
    ASSERT_TRUE(cidr) << c.text;
    EXPECT_EQ(cidr->prefix, c.prefix) << c.text;
    EXPECT_EQ(cidr->text(), c.printed);
  }
}

TEST(Cidr, RefusesHostBitsAndBadPrefixes) {
  const char* cases[] = {"10.1.2.3/8",
                         "2001:db8::1/64",
                         "10.0.0.0/33",
                         "2001:db8::/129",
                         "10.0.0.0/",
                         "10.0.0.0/08",
                         "10.0.0.0/-1",
                         "10.0.0.0/8/8",
                         "10.0.0/8",
                         "/8",
                         "",
                         "10.0.0.0/8 "};
  for (const char* text : cases) EXPECT_FALSE(Cidr::parse(text)) << text;
}

TEST(Cidr, ContainsByBits) {
  const auto in = [](const char* network, const char* address) {
    return Cidr::parse(network)->contains(*Address::parse(address));
  };
  EXPECT_TRUE(in("10.0.0.0/8", "10.255.255.255"));
  EXPECT_TRUE(in("10.0.0.0/8", "::ffff:a00:1"));
  EXPECT_FALSE(in("10.0.0.0/8", "11.0.0.0"));
  EXPECT_FALSE(in("10.0.0.0/8", "a00::"));
  EXPECT_TRUE(in("192.0.2.128/25", "192.0.2.255"));
  EXPECT_FALSE(in("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(in("0.0.0.0/0", "203.0.113.1"));
  EXPECT_FALSE(in("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(in("::/0", "2001:db8::1"));
  EXPECT_FALSE(in("::/0", "198.51.100.9"));  // IPv4 in its mapped form is none the less IPv4
  EXPECT_FALSE(in("::/64", "198.51.100.9"));
  EXPECT_TRUE(in("::ffff:0:0/96", "198.51.100.9"));
  EXPECT_TRUE(in("2001:db8:aaaa::/47", "2001:db8:aaab::7"));
  EXPECT_FALSE(in("2001:db8:aaaa::/48", "2001:db8:aaab::7"));
  EXPECT_TRUE(in("::1", "::1"));
  EXPECT_FALSE(in("::1", "127.0.0.1"));
}

TEST(Cidr, AnyOfSeveral) {
  const std::vector<Cidr> networks{*Cidr::parse("127.0.0.0/8"), *Cidr::parse("2001:db8::/32")};
  EXPECT_TRUE(contains(networks, *Address::parse("127.9.9.9")));
  EXPECT_TRUE(contains(networks, *Address::parse("2001:db8:ffff::1")));
  EXPECT_FALSE(contains(networks, *Address::parse("128.0.0.1")));
  EXPECT_FALSE(contains({}, *Address::parse("127.0.0.1")));
}

}  // namespace
}  // namespace weir::policy
