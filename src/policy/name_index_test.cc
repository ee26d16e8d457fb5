#include "policy/name_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::policy {
namespace {

TEST(NameIndex, NumbersNamesInTheOrderTheyCame) {
  NameIndex names;
  EXPECT_EQ(names.find("GET"), NameIndex::kNone);
  EXPECT_EQ(names.add("GET"), 0u);
  EXPECT_EQ(names.add(""), 1u);
  EXPECT_EQ(names.add("PUT"), 2u);
  EXPECT_EQ(names.add("GET"), 0u);
  EXPECT_EQ(names.find("GET"), 0u);
  EXPECT_EQ(names.find(""), 1u);
  EXPECT_EQ(names.find("PUT"), 2u);
  EXPECT_EQ(names.find("get"), NameIndex::kNone);
}

// Every length around the words that the hash reads, and names that differ in one byte of one.
TEST(NameIndex, TellsNamesApartAtEveryByte) {
  NameIndex names;
  std::vector<std::string> added;
  for (std::size_t size = 0; size <= 40; ++size) {
    added.emplace_back(size, 'a');
    for (std::size_t at = 0; at < size; ++at) {
      added.push_back(added.back());
      added.back()[at] = static_cast<char>(added.back()[at] + 1);
    }
  }
  for (std::size_t i = 0; i < added.size(); ++i) ASSERT_EQ(names.add(added[i]), i) << added[i];
  for (std::size_t i = 0; i < added.size(); ++i) EXPECT_EQ(names.find(added[i]), i) << added[i];
  EXPECT_EQ(names.find(std::string(41, 'a')), NameIndex::kNone);
}

}  // namespace
}  // namespace weir::policy
