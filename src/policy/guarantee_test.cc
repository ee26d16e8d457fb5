// Proofs of guarantees, by hand-computed envelopes over half-open intervals.
#include "policy/guarantee.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/loader.h"

namespace weir::policy {
namespace {

struct Case {
  const char* name;
  const char* limit;  // keys of the limit
  const char* guarantee;
  bool proved;
  const char* text;
};

const Case kCases[] = {
    {"Bucket", "key: global, rate: 200/s, burst: 200", "max: 400, window: 1s", true,
     "l: 200 + 200/s x 1s = 400 <= 400"},
    {"BucketOneMore", "key: global, rate: 200/s, burst: 200", "max: 399, window: 1s", false,
     "l: 200 + 200/s x 1s = 400 > 399"},
    {"FixedWindowTwice", "key: [], algorithm: fixed_window, limit: 100, window: 1m",
     "max: 200, window: 1m", true, "l: 100 x 2 windows of 1m = 200 <= 200"},
    {"SlidingWindow", "key: [], algorithm: sliding_window, limit: 100, window: 1m",
     "max: 200, window: 1m", true, "l: 100 x (1 + 1m / 1m) = 200 <= 200"},
    {"LogIsExact", "key: [], algorithm: sliding_log, limit: 100, window: 1m",
     "max: 100, window: 1m", true, "l: 100 x 1 windows of 1m = 100 <= 100"},
    {"Queue", "key: [], algorithm: leaky_bucket, rate: 10/s, queue: 9", "max: 20, window: 1s", true,
     "l: 10 + 10/s x 1s = 20 <= 20"},
    {"NotGlobal", "key: [ip], rate: 1/s", "max: 400, window: 1s", false, "no enforced limit"},
    {"Shadow", "key: [], rate: 1/s, mode: shadow", "max: 400, window: 1s", false,
     "no enforced limit"},
    {"OtherUnit", "key: [], rate: 1/s, unit: points", "max: 400, window: 1s", false,
     "no enforced limit"},
    {"BucketsThatDiffer", "key: [], tiers: {free: 1/s, pro: 2/s}", "max: 400, window: 1s", false,
     "no enforced limit"},
    {"DenyAddsNothing", "key: [], tiers: {free: deny, pro: 2/s}", "max: 4, window: 1s", true,
     "l: 2 + 2/s x 1s = 4 <= 4"},
    {"UnlimitedBoundsNothing", "key: [], tiers: {free: unlimited, pro: 2/s}",
     "max: 400, window: 1s", false, "no enforced limit"},
    {"WindowsKeepWhatWasUsed", "key: [], algorithm: sliding_log, tiers: {free: 5/min, pro: 9/min}",
     "max: 9, window: 1m", true, "l: 9 x 1 windows of 1m = 9 <= 9"},
};

TEST(Guarantee, AddsWhatAllInstancesMayHoldUnspent) {
  const auto proof = [](const std::string& limit) {
    const Loaded loaded = load_text(
        "version: 1\nstore: \"redis://h\"\ninstances: 3\ntiers: {free: {}, pro: {}}\nlimits: "
        "[{name: l, "
        "key: global, prefetch: true, " +
            limit + "}]\nguarantees: [{name: g, max: 10k, window: 1m}]\n",
        "p");
    return loaded.policy ? prove(*loaded.policy, loaded.policy->guarantees.at(0)).text
                         : loaded.findings.at(0).text();
  };
  EXPECT_EQ(proof("rate: 2/s, burst: 320"), "l: 320 + 2/s x 1m + 60 prefetched = 500 <= 10000");
  EXPECT_EQ(proof("algorithm: sliding_log, limit: 1600, window: 1m"),
            "l: 1600 x 1 windows of 1m + 300 prefetched = 1900 <= 10000");
  // Two sets of numbers on one counter: each is taken ahead of.
  EXPECT_EQ(
      proof("algorithm: sliding_log, window: 1m, tiers: {free: {limit: 800}, pro: {limit: 1600}}"),
      "l: 1600 x 1 windows of 1m + 450 prefetched = 2050 <= 10000");
}

class Guarantees : public ::testing::TestWithParam<Case> {};

TEST_P(Guarantees, AreProvedFromTheEnvelope) {
  const std::string head =
      std::string("version: 1\ntiers: {free: {}, pro: {}}\nlimits: [{name: l, ") +
      GetParam().limit + "}, {name: other, key: [ip], rate: 7/s}]\n";
  const Loaded loaded =
      load_text(head + "guarantees: [{name: g, " + GetParam().guarantee + "}]\n", "p");
  EXPECT_EQ(loaded.policy != nullptr, GetParam().proved);
  if (loaded.policy) {
    const GuaranteeProof proof = prove(*loaded.policy, loaded.policy->guarantees.at(0));
    EXPECT_TRUE(proof.proved);
    EXPECT_EQ(proof.text, GetParam().text);
    return;
  }
  ASSERT_EQ(loaded.findings.size(), 1u);
  EXPECT_EQ(loaded.findings[0].code, "WR127");
  EXPECT_NE(loaded.findings[0].message.find(GetParam().text), std::string::npos)
      << loaded.findings[0].text();
}

INSTANTIATE_TEST_SUITE_P(Table, Guarantees, ::testing::ValuesIn(kCases),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(Guarantees, TheTightestLimitThatCoversAllClassesCounts) {
  const Loaded loaded = load_text(
      "version: 1\ncosts: {/a: 1, /b: 1}\nlimits:\n"
      "  - {name: loose, key: global, unit: points, rate: 100/s}\n"
      "  - {name: tight, key: global, unit: points, rate: 10/s}\n"
      "  - {name: part, key: global, unit: points, classes: [/a], rate: 1/s}\n"
      "guarantees:\n"
      "  - {name: both, classes: [/a, /b], unit: points, max: 20, window: 1s}\n"
      "  - {name: one, classes: [/a], unit: points, max: 2, window: 1s}\n",
      "p");
  ASSERT_TRUE(loaded.policy) << loaded.findings.at(0).text();
  EXPECT_EQ(prove(*loaded.policy, loaded.policy->guarantees[0]).limit, LimitId{1});
  EXPECT_EQ(prove(*loaded.policy, loaded.policy->guarantees[1]).limit, LimitId{2});
}

}  // namespace
}  // namespace weir::policy
