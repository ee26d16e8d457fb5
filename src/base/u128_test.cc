#include "base/u128.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace weir::base {
namespace {

TEST(MulDiv, RoundsDownAndUp) {
  EXPECT_EQ(mul_div_floor(7, 3, 2), 10u);
  EXPECT_EQ(mul_div_ceil(7, 3, 2), 11u);
  EXPECT_EQ(mul_div_ceil(8, 3, 2), 12u);
  EXPECT_EQ(mul_div_floor(0, kMaxU64, 1), 0u);
}

TEST(MulDiv, TakesProductsOf128Bits) {
  EXPECT_EQ(mul_div_floor(kMaxU64, kMaxU64, kMaxU64), kMaxU64);
  EXPECT_EQ(mul_div_floor(kMaxU64, kMaxU64 - 1, kMaxU64), kMaxU64 - 1);
  EXPECT_EQ(mul_div_ceil(kMaxU64 - 1, kMaxU64 - 1, kMaxU64), kMaxU64 - 1);
  EXPECT_EQ(mul_div_floor(kMaxU64 - 1, kMaxU64 - 1, kMaxU64), kMaxU64 - 2);
}

TEST(MulDiv, SaturatesWhereTheQuotientDoesNotFit) {
  EXPECT_EQ(mul_div_floor(kMaxU64, 2, 1), kMaxU64);
  EXPECT_EQ(mul_div_ceil(kMaxU64, 3, 2), kMaxU64);
  EXPECT_EQ(mul_div_ceil(kMaxU64, 2, 2), kMaxU64);
}

TEST(MulDiv, AgreesWithTheCompilersDivision) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t a = random() >> (random() % 64);
    const std::uint64_t b = random() >> (random() % 64);
    const std::uint64_t d = (random() >> (random() % 64)) | 1;
    const u128 exact = u128{a} * b / d;
    const std::uint64_t want = exact > kMaxU64 ? kMaxU64 : static_cast<std::uint64_t>(exact);
    ASSERT_EQ(mul_div_floor(a, b, d), want) << a << " * " << b << " / " << d;
    const u128 up = (u128{a} * b + (d - 1)) / d;
    if (u128{a} * b <= ~u128{0} - d) {
      ASSERT_EQ(mul_div_ceil(a, b, d), up > kMaxU64 ? kMaxU64 : static_cast<std::uint64_t>(up));
    }
  }
}

}  // namespace
}  // namespace weir::base
