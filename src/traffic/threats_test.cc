// Each threat does harm without a policy; with one made for it, those who do no harm are served.
#include "traffic/threats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace weir::traffic {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct Case {
  const char* threat;
  const char* policy;
  double without_at_most;
  double with_at_least;
};

class Threats : public ::testing::TestWithParam<Case> {};

TEST_P(Threats, AreHeldOffByAPolicyMadeForThem) {
  const Case& c = GetParam();
  auto opened = decide::Engine::open_text(std::string("version: 1\n") + c.policy, "policy.yaml");
  ASSERT_TRUE(opened.engine) << opened.findings.front().text();
  const auto threat = find_threat(c.threat);
  ASSERT_TRUE(threat);
  const Experiment e = try_threat(**threat, *opened.engine, 7);
  EXPECT_EQ(e.without.offered, e.with.offered);
  EXPECT_GT(e.without.offered, 100u);
  EXPECT_LE(share(e.without.good, e.without.offered), c.without_at_most);
  EXPECT_GE(share(e.with.good, e.with.offered), c.with_at_least);
}

constexpr const char* kByClient = "limits:\n  - {name: client, key: [ip], rate: 2/s, burst: 20}\n";

INSTANTIATE_TEST_SUITE_P(
    All, Threats,
    ::testing::Values(
        Case{"misbehaving-client", kByClient, 0.6, 0.99},
        Case{"scraping",
             "limits:\n  - {name: client, key: [ip], rate: 2/s, burst: 5}\n"
             "  - {name: server, key: global, rate: 180/s, burst: 40}\n",
             0.6, 0.98},
        Case{"retry-storm", "limits:\n  - {name: server, key: global, rate: 180/s, burst: 40}\n",
             0.2, 0.8},
        Case{"expensive-endpoint",
             "classes:\n  - {name: search, match: [\"GET /search\"]}\n"
             "limits:\n  - {name: searches, classes: [search], key: global, rate: 1/s, burst: 2}\n",
             0.6, 0.99},
        Case{"credential-stuffing",
             "classes:\n  - {name: login, match: [\"POST /login\"]}\n"
             "limits:\n  - {name: logins, classes: [login], key: global, rate: 5/s, burst: 5}\n",
             0.6, 0.99},
        Case{"batch-jobs",
             "classes:\n  - {name: batch, match: [\"POST /batch/*\"]}\n"
             "limits:\n  - {name: exports, classes: [batch], key: global, rate: 40/s, burst: 40}\n",
             0.6, 0.99},
        Case{"paid-downstream", "limits:\n  - {name: quotes, key: [ip], rate: 10/min, burst: 10}\n",
             0.6, 0.95},
        // What a flood does to the gate itself no limit of weir takes back.
        Case{"volumetric-flood", kByClient, 0.9, 0.0}),
    [](const auto& test) {
      std::string name = test.param.threat;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Threats, AFloodIsNotAbsorbed) {
  auto opened = decide::Engine::open_text(std::string("version: 1\n") + kByClient, "policy.yaml");
  const Experiment e = try_threat(**find_threat("volumetric-flood"), *opened.engine, 7);
  EXPECT_LT(share(e.with.good, e.with.offered), 0.95);
}

TEST(Backend, ServesInOrderAndNotForEver) {
  const Instant start{1'000'000'000'000};
  Backend backend({.workers = 1, .patience = seconds(1), .most_wait = seconds(2)}, start);
  EXPECT_TRUE(backend.serve(start, milliseconds(600)).good);
  const auto second = backend.serve(start, milliseconds(600));  // waits 600 ms, ready at 1.2 s
  EXPECT_FALSE(second.good);
  EXPECT_EQ(second.end, start + seconds(1));
  EXPECT_FALSE(backend.serve(start, milliseconds(900)).good);
  const auto full = backend.serve(start, milliseconds(1));  // would wait 2.1 s
  EXPECT_FALSE(full.good);
  EXPECT_EQ(full.end, start);
  EXPECT_TRUE(backend.serve(start + seconds(3), milliseconds(600)).good);
}

TEST(Backend, AVendorRefusesAllForAWhileOnceTooManyAsked) {
  const Instant start{1'000'000'000'000};
  Backend backend({.workers = 100, .max_calls = 2, .window = seconds(60), .penalty = seconds(60)},
                  start);
  EXPECT_TRUE(backend.serve(start, milliseconds(1)).good);
  EXPECT_TRUE(backend.serve(start + seconds(30), milliseconds(1)).good);
  EXPECT_FALSE(backend.serve(start + seconds(59), milliseconds(1)).good);
  EXPECT_FALSE(backend.serve(start + seconds(118), milliseconds(1)).good);
  EXPECT_TRUE(backend.serve(start + seconds(119), milliseconds(1)).good);
}

}  // namespace
}  // namespace weir::traffic
