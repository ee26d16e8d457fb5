// /metrics: what is counted, and that any scraper can read it.
#include "serve/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "serve/testing/test_server.h"

namespace weir::serve {
namespace {

using testing::auth;
using testing::request;
using testing::TestServer;

// A strict reader of the text exposition format 0.0.4. Fails on anything it does not know.
struct Scrape {
  std::map<std::string, double> samples;  // by name and labels as written
  std::map<std::string, std::string> types;

  explicit Scrape(const std::string& text) {
    static const std::regex kHelp(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) .+)");
    static const std::regex kType(R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram))");
    static const std::regex kSample(
        "([a-zA-Z_:][a-zA-Z0-9_:]*)"
        R"((\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})?)"
        R"( ([0-9.e+-]+|\+Inf|Nan))");
    EXPECT_TRUE(text.ends_with('\n'));
    std::istringstream lines(text);
    std::set<std::string> helped;
    for (std::string line; std::getline(lines, line);) {
      std::smatch m;
      if (std::regex_match(line, m, kHelp)) {
        EXPECT_TRUE(helped.insert(m[1]).second) << "helped twice: " << line;
      } else if (std::regex_match(line, m, kType)) {
        EXPECT_TRUE(types.emplace(m[1], m[2]).second) << "typed twice: " << line;
      } else if (std::regex_match(line, m, kSample)) {
        const std::string key = m[1].str() + m[2].str();
        EXPECT_TRUE(samples.emplace(key, std::strtod(m[3].str().c_str(), nullptr)).second)
            << "sampled twice: " << line;
        const std::string base =
            std::regex_replace(m[1].str(), std::regex("_(bucket|sum|count)$"), "");
        EXPECT_TRUE(types.contains(m[1]) || types.contains(base)) << "no type: " << line;
      } else {
        ADD_FAILURE() << "no line of the format: " << line;
      }
    }
  }
  double at(const std::string& key) const {
    const auto it = samples.find(key);
    EXPECT_NE(it, samples.end()) << key;
    return it == samples.end() ? -1 : it->second;
  }
};

constexpr std::string_view kPolicy = R"(version: 1
tiers: {anonymous: {}}
limits:
  - {name: plan, key: [ip], rate: 3/min}
  - {name: maybe, key: [ip], rate: 1/min, mode: shadow}
)";

TEST(Metrics, CountWhatEachLimitSaid) {
  TestServer weir(kPolicy);
  for (int i = 0; i < 5; ++i) weir.ask(auth("GET", "/"));
  const Scrape s(weir.ask_admin(request("GET", "/metrics")).body);
  const auto decisions = [&](const std::string& limit, const std::string& verdict,
                             const std::string& reason) {
    return s.at("weir_decisions_total{limit=\"" + limit + "\",tier=\"anonymous\",verdict=\"" +
                verdict + "\",reason=\"" + reason + "\"}");
  };
  EXPECT_EQ(decisions("plan", "admit", "admitted"), 3);
  EXPECT_EQ(decisions("plan", "deny", "limit_exceeded"), 2);
  EXPECT_EQ(decisions("maybe", "shadow_admit", "admitted"), 1);
  EXPECT_EQ(decisions("maybe", "shadow_deny", "limit_exceeded"), 4);
  EXPECT_EQ(s.at("weir_decision_seconds_count"), 5);
  EXPECT_EQ(s.at("weir_decision_seconds_bucket{le=\"+Inf\"}"), 5);
  EXPECT_EQ(s.at("weir_http_requests_total{listener=\"http\",status=\"200\"}"), 3);
  EXPECT_EQ(s.at("weir_http_requests_total{listener=\"http\",status=\"429\"}"), 2);
  EXPECT_EQ(s.at("weir_http_connections_accepted_total{listener=\"http\"}"), 5);
  EXPECT_EQ(s.at("weir_store_keys"), 2);
  EXPECT_EQ(s.at("weir_policy_info{id=\"" + weir.server->engine().snapshot()->policy->id + "\"}"),
            1);
}

TEST(Metrics, SurviveAReloadAndNameItsResult) {
  TestServer weir(kPolicy);
  weir.ask(auth("GET", "/"));
  EXPECT_TRUE(weir.server->engine().reload_text(kPolicy).adopted);
  weir.ask(auth("GET", "/"));
  EXPECT_FALSE(weir.server->reload().adopted);  // there is no such file
  const Scrape s(weir.ask_admin(request("GET", "/metrics")).body);
  EXPECT_EQ(s.at("weir_decisions_total{limit=\"plan\",tier=\"anonymous\",verdict=\"admit\","
                 "reason=\"admitted\"}"),
            2);
  EXPECT_EQ(s.at("weir_policy_reloads_total{result=\"refused\"}"), 1);
}

TEST(Metrics, HaveNoSeriesOfAClient) {
  TestServer weir(
      "version: 1\ntiers: {anonymous: {}}\nlimits: [{name: h, key: [k], rate: 1/min}]\n"
      "identity: {keys: {k: {from: \"header:x-k\"}}}\n");
  const auto lines = [&] {
    const std::string text = weir.ask_admin(request("GET", "/metrics")).body;
    return std::count(text.begin(), text.end(), '\n');
  };
  weir.ask(auth("GET", "/a", {{"X-K", "first"}}));
  weir.ask(auth("GET", "/a", {{"X-K", "first"}}));
  weir.ask_admin(request("GET", "/metrics"));
  const auto before = lines();
  for (int i = 0; i < 300; ++i) {
    weir.ask(auth("GET", "/" + std::to_string(i), {{"X-K", "v\"\\" + std::to_string(i)}}));
  }
  EXPECT_EQ(lines(), before);
}

TEST(Metrics, PassPromtool) {
  if (std::system("promtool --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
  TestServer weir(kPolicy);
  for (int i = 0; i < 5; ++i) weir.ask(auth("GET", "/"));
  const std::string path = ::testing::TempDir() + "weir_metrics_" + std::to_string(::getpid());
  std::ofstream(path) << weir.ask_admin(request("GET", "/metrics")).body;
  EXPECT_EQ(std::system(("promtool check metrics < " + path + " >&2").c_str()), 0);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace weir::serve
