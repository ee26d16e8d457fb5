#include "traffic/texts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "traffic/column.h"

namespace weir::traffic {
namespace {

TEST(Texts, GiveEachTextOneNumberForEver) {
  Texts texts;
  std::map<std::string, std::uint32_t> model;
  std::mt19937_64 random(20'261'205);
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "/item/" + std::to_string(random() % 50'000);
    if (i % 7 == 0) text += std::string(random() % 300, 'x');
    const std::uint32_t id = texts.id_of(text);
    const auto [at, is_new] = model.emplace(text, id);
    ASSERT_EQ(at->second, id);
    ASSERT_EQ(texts.was_new(), is_new);
  }
  EXPECT_EQ(texts.size(), model.size());
  for (const auto& [text, id] : model) EXPECT_EQ(texts[id], text);
}

TEST(Texts, KeepTheEmptyTheLongAndTheBinaryOne) {
  Texts texts;
  const std::string longest(3 << 20, 'a');
  const std::string binary("\0\xff\n", 3);
  const auto a = texts.id_of("");
  const auto b = texts.id_of(longest);
  const auto c = texts.id_of(binary);
  EXPECT_EQ(texts[a], "");
  EXPECT_EQ(texts[b], longest);
  EXPECT_EQ(texts[c], binary);
  EXPECT_EQ(texts.id_of(""), a);
  EXPECT_GE(texts.bytes(), longest.size());
}

TEST(Column, KeepsWhatIsPutAtItsEnd) {
  Column<std::uint32_t> column;
  EXPECT_TRUE(column.empty());
  for (std::uint32_t i = 0; i < 200'000; ++i) column.push_back(i * 3);
  ASSERT_EQ(column.size(), 200'000u);
  for (std::uint32_t i = 0; i < 200'000; ++i) ASSERT_EQ(column[i], i * 3);
  EXPECT_LE(column.bytes(), (200'000u + 65'536u) * sizeof(std::uint32_t));
}

}  // namespace
}  // namespace weir::traffic
