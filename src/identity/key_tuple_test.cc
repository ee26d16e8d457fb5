#include "identity/caller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "identity/testing/caller_fixture.h"

namespace weir::identity {
namespace {

using namespace testing;

// C06: different tuples never share a counter.
TEST(KeyTuple, AnAddressIsNotAHeaderThatSpellsIt) {
  const Policy policy = make_policy();
  const std::string bytes("\0\0\0\0\0\0\0\0\0\0\xff\xff\xc6\x33\x64\x09", 16);
  const std::string by_address = tuple_of(policy, Request{}, {chain({policy::kIpKey})});
  for (const std::string& value : {std::string("198.51.100.9"), bytes}) {
    EXPECT_NE(tuple_of(policy, Request{{{"X-User", value}}, {}}, {chain({kHeader})}), by_address);
  }
  EXPECT_EQ(tuple_of(policy, Request{}, {chain({kHeader})}, true), by_address);
}

TEST(KeyTuple, TheSameValueOfAnotherKeyIsAnother) {
  const Policy policy = make_policy();
  const Request request{{{"X-User", "a"}, {"X-Other", "a"}}, {}};
  EXPECT_NE(tuple_of(policy, request, {chain({kHeader})}),
            tuple_of(policy, request, {chain({kSecondHeader})}));
  EXPECT_NE(tuple_of(policy, request, {kClassWord}, true, nullptr, "a"),
            tuple_of(policy, request, {chain({kHeader})}));
}

TEST(KeyTuple, DoesNotDependOnWhereAKeyStandsInTheFile) {
  const Policy policy = make_policy();
  Policy moved = make_policy();
  std::swap(moved.identity.keys[kHeader], moved.identity.keys[kSecondHeader]);
  const Request request{{{"X-User", "a"}, {"X-Other", "b"}}, {}};
  EXPECT_EQ(tuple_of(policy, request, {chain({kHeader})}),
            tuple_of(moved, request, {chain({kSecondHeader})}));
}

// Every process that shares a store counts by it, of whatever version.
TEST(KeyTuple, IsTheHashesOfLimitClassAndCallerApart) {
  const base::HashSecret secret{1, 2};
  EXPECT_EQ(limit_key(secret, 0x0807060504030201),
            base::siphash13_128(secret, {"\x01\x00\x00\x00\x00\x00\x00\x00"
                                         "\x01\x02\x03\x04\x05\x06\x07\x08",
                                         16}));
  EXPECT_EQ(class_key(secret, "read"),
            base::siphash13_128(secret, {"\x02\x00\x00\x00\x00\x00\x00\x00"
                                         "\xfe\x04\x00\x00\x00\x00\x00\x00"
                                         "read\x00\x00\x00\x00",
                                         24}));
  KeyHasher caller(secret, KeyKind::caller);
  caller.part(policy::kUserKey, "ann");
  caller.part(policy::kApiKey, "");
  EXPECT_EQ(caller.finish(), base::siphash13_128(secret, {"\x03\x00\x00\x00\x00\x00\x00\x00"
                                                          "\x02\x03\x00\x00\x00\x00\x00\x00"
                                                          "ann\x00\x00\x00\x00\x00"
                                                          "\x01\x00\x00\x00\x00\x00\x00\x00",
                                                          32}));
}

// What is the same in two keys drops out, what differs stays.
TEST(KeyTuple, NoTwoOfManyLimitsClassesAndCallersShareACounter) {
  const base::HashSecret secret{3, 4};
  std::vector<base::Digest> limits;
  std::vector<base::Digest> classes{{}};
  std::vector<base::Digest> callers{{}};
  for (std::uint64_t id = 0; id < 40; ++id) limits.push_back(limit_key(secret, id));
  for (int c = 0; c < 40; ++c) classes.push_back(class_key(secret, "c" + std::to_string(c)));
  for (int i = 0; i < 200; ++i) {
    KeyHasher hasher(secret, KeyKind::caller);
    hasher.part(policy::kUserKey, "c" + std::to_string(i));
    callers.push_back(hasher.finish());
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
  for (const base::Digest& limit : limits) {
    for (const base::Digest& of_class : classes) {
      for (const base::Digest& caller : callers) {
        const base::Digest key = limit ^ of_class ^ caller;
        keys.emplace_back(key.lo, key.hi);
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  // Either half alone tells them apart too: a table takes its place from one.
  const auto same_half = [](const auto& a, const auto& b) { return a.first == b.first; };
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end(), same_half), keys.end());
}

TEST(KeyTuple, DoesNotDependOnWhereTheClassStands) {
  const Policy policy = make_policy();
  const Request request{{{"X-User", "a"}}, {}};
  EXPECT_EQ(tuple_of(policy, request, {kClassWord, chain({kHeader})}),
            tuple_of(policy, request, {chain({kHeader}), kClassWord}));
}

TEST(KeyTuple, LongClassNamesStayDistinct) {
  const Policy policy = make_policy();
  const std::string long_name(8'000, 'c');
  const auto tuple = [&](const std::string& name) {
    return tuple_of(policy, Request{}, {kClassWord, chain({policy::kIpKey})}, true, nullptr, name);
  };
  EXPECT_NE(tuple(long_name + "1"), tuple(long_name + "2"));
  EXPECT_NE(tuple(std::string(256, 'c')), tuple(std::string(257, 'c')));
}

TEST(KeyTuple, IsInjective) {
  const Policy policy = make_policy();
  const std::string_view alphabet("ab_:|/{}%\0\n", 11);
  std::mt19937 random(29);
  const auto word = [&] {
    std::string text;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) text += alphabet[random() % alphabet.size()];
    return text;
  };
  std::map<std::string, std::vector<std::string>> seen;
  const std::vector<std::vector<KeyPart>> keys{
      {chain({kHeader}), chain({kSecondHeader})},
      {chain({kSecondHeader}), chain({kHeader})},
      {chain({kHeader}), kClassWord},
      {chain({kHeader})},
      {kClassWord, chain({kHeader}), chain({kSecondHeader})},
  };
  for (int i = 0; i < 60'000; ++i) {
    const std::string first = word();
    const std::string second = word();
    const std::string class_name = word();
    const std::size_t which = random() % keys.size();
    const Request request{{{"X-User", first}, {"X-Other", second}}, {}};
    const std::string tuple = tuple_of(policy, request, keys[which], false, nullptr, class_name);
    std::vector<std::string> meaning{std::to_string(which)};
    for (const KeyPart& part : keys[which]) {
      meaning.push_back(part.is_class                     ? class_name
                        : part.alternatives[0] == kHeader ? first
                                                          : second);
    }
    const auto [it, fresh] = seen.emplace(tuple, meaning);
    ASSERT_TRUE(fresh || it->second == meaning);
  }
}

}  // namespace
}  // namespace weir::identity
