#include "redis/directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weir::redis {
namespace {

const Address kAsked{"10.0.0.9", 7000};

std::optional<Directory> read(const std::string& bytes) {
  wire::RespParser parser;
  const std::span<char> space = parser.prepare(bytes.size());
  std::copy(bytes.begin(), bytes.end(), space.begin());
  parser.commit(bytes.size());
  EXPECT_EQ(parser.next(), wire::RespParser::Status::reply) << parser.error();
  return read_cluster_slots(parser.reply(), kAsked);
}

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}
std::string node(const std::string& host, int port) {
  return "*4\r\n" + (host == "null" ? "$-1\r\n" : bulk(host)) + ":" + std::to_string(port) +
         "\r\n" + bulk(std::string(40, 'a')) + "*0\r\n";
}
std::string range(int first, int last, const std::string& nodes, int n) {
  return "*" + std::to_string(2 + n) + "\r\n:" + std::to_string(first) +
         "\r\n:" + std::to_string(last) + "\r\n" + nodes;
}

TEST(Directory, OneServerKeepsAll) {
  const Directory directory = Directory::of({"h", 6379});
  EXPECT_EQ(directory.keeper(0)->host, "h");
  EXPECT_EQ(directory.keeper(16'383)->host, "h");
}

TEST(Directory, ReadsClusterSlots) {
  const auto directory =
      read("*3\r\n" + range(0, 5460, node("10.0.0.1", 7000) + node("10.0.0.4", 7003), 2) +
           range(5461, 10'922, node("", 7001), 1) + range(10'923, 16'383, node("null", 7002), 1));
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->keepers().size(), 3u);
  ASSERT_EQ(directory->replicas().size(), 1u);
  EXPECT_EQ(text_of(directory->replicas()[0]), "10.0.0.4:7003");
  EXPECT_EQ(text_of(*directory->keeper(0)), "10.0.0.1:7000");
  EXPECT_EQ(text_of(*directory->keeper(5460)), "10.0.0.1:7000");
  EXPECT_EQ(text_of(*directory->keeper(5461)), "10.0.0.9:7001");
  EXPECT_EQ(text_of(*directory->keeper(16'383)), "10.0.0.9:7002");
  EXPECT_EQ(directory->slots_served(), kClusterSlots);
}

TEST(Directory, KnowsWhichSlotsNobodyServes) {
  const auto directory = read("*1\r\n" + range(10, 20, node("h", 7000), 1));
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->keeper(9), nullptr);
  EXPECT_NE(directory->keeper(10), nullptr);
  EXPECT_EQ(directory->keeper(21), nullptr);
  EXPECT_EQ(directory->slots_served(), 11u);
  const auto none = read("*0\r\n");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(none->keeper(0), nullptr);
}

TEST(Directory, PassesOverANodeWhoseHostNobodyKnows) {
  const auto directory = read("*1\r\n" + range(0, 9, node("?", 7000), 1));
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->keeper(3), nullptr);
}

TEST(Directory, RefusesWhatIsNoMap) {
  for (const std::string& bytes :
       {std::string("+OK\r\n"), std::string("*1\r\n:1\r\n"), std::string("*1\r\n*1\r\n:1\r\n"),
        "*1\r\n" + range(0, 16'384, node("h", 1), 1), "*1\r\n" + range(-1, 5, node("h", 1), 1),
        "*1\r\n" + range(9, 5, node("h", 1), 1), "*1\r\n" + range(0, 5, ":1\r\n", 1)}) {
    EXPECT_FALSE(read(bytes)) << bytes;
  }
  // A port that is none makes the node unknown, not the map.
  EXPECT_TRUE(read("*1\r\n" + range(0, 5, node("h", 0), 1)));
}

TEST(Directory, MovesASlotAtAServersWord) {
  auto directory = read("*1\r\n" + range(0, 9, node("h", 1), 1));
  directory->move(4, {"other", 2});
  EXPECT_EQ(directory->keeper(3)->host, "h");
  EXPECT_EQ(directory->keeper(4)->host, "other");
  EXPECT_EQ(directory->keepers().size(), 2u);
}

TEST(Directory, ReadsRedirects) {
  const auto moved = read_redirect("MOVED 3999 127.0.0.1:6381", kAsked);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(text_of(moved->to), "127.0.0.1:6381");
  EXPECT_EQ(text_of(read_redirect("ASK 1 ::1:6381", kAsked)->to), "[::1]:6381");
  EXPECT_EQ(text_of(read_redirect("MOVED 1 :6381", kAsked)->to), "10.0.0.9:6381");
  EXPECT_EQ(text_of(read_redirect("MOVED 1 host:6381 extra", kAsked)->to), "host:6381");
  for (const char* text : {"MOVED", "MOVED x h:1", "MOVED 16384 h:1", "MOVED 1", "MOVED 1 h",
                           "MOVED 1 h:0", "MOVED 1 h:x", "MOVED 1 ?:7000", "MOVED -1 h:1"}) {
    EXPECT_FALSE(read_redirect(text, kAsked)) << text;
  }
}

}  // namespace
}  // namespace weir::redis
