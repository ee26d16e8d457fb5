#include "redis/key_name.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weir::redis {
namespace {

store::Charge charge_of(std::uint64_t hi, std::uint64_t lo, std::uint32_t tag = 0) {
  static const algo::Numbers numbers = *algo::make_token_bucket(1, seconds(1), 1);
  store::Charge c;
  c.key = {lo, hi};
  c.tag = tag;
  c.numbers = &numbers;
  return c;
}

std::string name_of(const store::Charge& charge) {
  std::string name;
  append_key(name, "weir", charge);
  return name;
}

// The check value of the specification, then slots that a server answers CLUSTER KEYSLOT with.
TEST(KeyName, HashesAsTheClusterSpecificationDoes) {
  EXPECT_EQ(crc16("123456789"), 0x31c3);
  EXPECT_EQ(crc16(""), 0);
  EXPECT_EQ(key_slot("123456789"), 12739);
  EXPECT_EQ(key_slot("foo"), 12182);
  EXPECT_EQ(key_slot("somekey"), 11058);
}

TEST(KeyName, HashesWhatTheFirstBracesHold) {
  EXPECT_EQ(key_slot("{user1000}.following"), key_slot("user1000"));
  EXPECT_EQ(key_slot("foo{hash_tag}"), 2515);
  EXPECT_EQ(key_slot("foo{}{bar}"), crc16("foo{}{bar}") % kClusterSlots);
  EXPECT_EQ(key_slot("foo{{bar}}zap"), key_slot("{bar"));
  EXPECT_EQ(key_slot("foo{bar}{zap}"), key_slot("bar"));
  EXPECT_EQ(key_slot("foo{bar"), crc16("foo{bar") % kClusterSlots);
}

TEST(KeyName, IsInjectiveAndAsLongAsItSays) {
  EXPECT_EQ(name_of(charge_of(0, 0)), "weir:2:{AAAA}1AAAAAAAAAAAAAAAAAAAAAA");
  EXPECT_EQ(name_of(charge_of(~0ull, ~0ull, 1)), "weir:2:{BAAA}1_____________________D");
  EXPECT_EQ(name_of(charge_of(1, 0)), "weir:2:{BAAA}1AAAAAAAAAAQAAAAAAAAAAA");
  EXPECT_EQ(name_of(charge_of(std::uint64_t{1} << 63, 1)), "weir:2:{AAAA}1BAAAAAAAAAAAAAAAAAAAAC");
}

TEST(KeyName, LiesInTheSlotThatIsComputedWithoutIt) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const store::Charge c =
        charge_of(i * 0x9e3779b97f4a7c15, i, static_cast<std::uint32_t>(i * 77));
    ASSERT_EQ(slot_of(c), key_slot(name_of(c))) << name_of(c);
  }
}

TEST(KeyName, KeepsTheCountersOfOneTagTogether) {
  EXPECT_EQ(slot_of(charge_of(1, 2, 99)), slot_of(charge_of(3, 4, 99)));
  EXPECT_NE(name_of(charge_of(1, 2, 99)), name_of(charge_of(3, 4, 99)));
}

// 2^24 tags over 2^14 slots: 1,024 each, if they are spread well.
TEST(KeyName, SpreadsTagsOverAllSlots) {
  std::vector<unsigned> tags(kClusterSlots);
  for (std::uint32_t tag = 1; tag < 1u << 24; tag += 3) ++tags[slot_of(charge_of(0, 0, tag))];
  const auto [least, most] = std::minmax_element(tags.begin(), tags.end());
  EXPECT_GT(*least, 200u);
  EXPECT_LT(*most, 600u);
}

}  // namespace
}  // namespace weir::redis
