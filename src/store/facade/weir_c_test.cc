#include <gtest/gtest.h>

#include <cstring>

#include "weir/weir_c.h"

extern "C" int weir_c_example(void);

namespace {

TEST(WeirC, ACProgramGetsTheRightAnswers) { EXPECT_EQ(weir_c_example(), 0) << "the failing line"; }

struct Wrong {
  const char* name;
  weir_limit limit;
  const char* names;  // in the message
};

TEST(WeirC, SaysWhatIsWrongWithALimit) {
  const Wrong cases[] = {
      {"no algorithm", {0, 0, 1, 1'000'000'000, 0, 0, 0}, "algorithm"},
      {"unknown algorithm", {9, 0, 1, 1'000'000'000, 0, 0, 0}, "algorithm"},
      {"alignment", {WEIR_FIXED_WINDOW, 7, 1, 1'000'000'000, 0, 0, 0}, "align"},
      {"count 0", {WEIR_TOKEN_BUCKET, 0, 0, 1'000'000'000, 5, 0, 0}, ""},
      {"period 0", {WEIR_FIXED_WINDOW, 0, 1, 0, 0, 0, 0}, ""},
      {"too fast", {WEIR_TOKEN_BUCKET, 0, 2, 1, 1, 0, 0}, ""},
  };
  for (const Wrong& c : cases) {
    SCOPED_TRACE(c.name);
    char why[256] = "";
    EXPECT_EQ(weir_limiter_create(&c.limit, nullptr, why, sizeof why), nullptr);
    EXPECT_NE(std::strstr(why, c.names), nullptr) << why;
    EXPECT_GT(std::strlen(why), 10u);
  }
}

TEST(WeirC, CutsTheMessageToTheRoomThereIs) {
  const weir_limit limit{};
  char why[8];
  std::memset(why, 'x', sizeof why);
  EXPECT_EQ(weir_limiter_create(&limit, nullptr, why, 5), nullptr);
  EXPECT_EQ(std::strlen(why), 4u);
  EXPECT_EQ(why[5], 'x');
  EXPECT_EQ(weir_limiter_create(&limit, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(weir_limiter_create(nullptr, nullptr, why, sizeof why), nullptr);
}

TEST(WeirC, RefusesNewKeysOfAFullTableWhereAskedTo) {
  const weir_limit limit{WEIR_FIXED_WINDOW, WEIR_ALIGN_FIRST, 5, 3'600'000'000'000, 0, 0, 0};
  const weir_options options{1, 1};
  weir_limiter* limiter = weir_limiter_create(&limit, &options, nullptr, 0);
  ASSERT_NE(limiter, nullptr);
  EXPECT_EQ(weir_limiter_charge(limiter, "a", 1, 1).admit, 1);
  const weir_decision denied = weir_limiter_charge(limiter, "b", 1, 1);
  EXPECT_EQ(denied.admit, 0);
  EXPECT_EQ(denied.reason, WEIR_TABLE_FULL);
  EXPECT_STREQ(weir_reason_name(denied.reason), "table_full");
  EXPECT_STREQ(weir_reason_name(99), "unknown");
  weir_limiter_destroy(limiter);
}

TEST(WeirC, AQueueTellsItsDelay) {
  const weir_limit limit{WEIR_LEAKY_BUCKET, 0, 1, 1'000'000'000, 0, 4, 0};
  weir_limiter* limiter = weir_limiter_create(&limit, nullptr, nullptr, 0);
  ASSERT_NE(limiter, nullptr);
  EXPECT_EQ(weir_limiter_charge(limiter, "k", 1, 1).delay_ns, 0u);
  const weir_decision second = weir_limiter_charge(limiter, "k", 1, 1);
  EXPECT_EQ(second.admit, 1);
  EXPECT_GT(second.delay_ns, 500'000'000u);
  EXPECT_LE(second.delay_ns, 1'000'000'000u);
  weir_limiter_destroy(limiter);
}

}  // namespace
