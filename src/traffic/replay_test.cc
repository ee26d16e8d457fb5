// A replay is the decider of the service, asked at the log's instants.
#include "traffic/replay.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "traffic/alternatives.h"
#include "traffic/clients.h"
#include "traffic/compare.h"
#include "traffic/tally.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kStart = 1'795'996'800'000'000'000;  // 2026-11-30T00:00:00Z
constexpr std::int64_t kMs = 1'000'000;

std::unique_ptr<decide::Engine> engine_of(std::string_view text) {
  auto opened = decide::Engine::open_text(text, "policy.yaml");
  for (const auto& finding : opened.findings) {
    if (finding.severity == policy::Severity::error) ADD_FAILURE() << finding.text();
  }
  return std::move(opened.engine);
}

constexpr std::string_view kPerClient =
    "version: 1\nlimits:\n  - {name: client, key: [client], rate: 3/10s, burst: 3}\n";

struct Sent {
  std::int64_t at_ms = 0;
  std::string client = "192.0.2.1";
  std::string target = "/";
};

Events events_of(const std::vector<Sent>& all) {
  Events events;
  Record record;
  for (const Sent& s : all) {
    record.clear();
    record.time_ns = kStart + s.at_ms * kMs;
    record.client = s.client;
    record.method = "GET";
    record.target = s.target;
    events.add(record, record.target);
  }
  events.sort();
  return events;
}

std::string verdicts(Replay& replay) {
  std::string text;
  for (std::size_t i = 0; i < replay.events().size(); ++i) {
    text += replay.decide(i).admit ? 'a' : 'd';
  }
  return text;
}

TEST(Replay, AsksEachRequestAtItsOwnInstant) {
  const auto engine = engine_of(kPerClient);
  ASSERT_NE(engine, nullptr);
  const Events events = events_of({{0}, {0}, {0}, {0}, {3'333}, {3'334}, {3'335}, {100'000}});
  Replay replay(*engine, events);
  EXPECT_EQ(verdicts(replay), "aaaddada");
}

TEST(Replay, PutsWhatIsOutOfOrderInOrder) {
  std::vector<Sent> sent;
  std::mt19937_64 random(11);
  for (int i = 0; i < 2'000; ++i) {
    sent.push_back(
        {static_cast<std::int64_t>(random() % 60'000), "192.0.2." + std::to_string(random() % 20)});
  }
  const auto denied = [](const std::vector<Sent>& all) {
    const auto engine = engine_of(kPerClient);
    const Events events = events_of(all);
    Replay replay(*engine, events);
    const std::string v = verdicts(replay);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      EXPECT_GE(events.at(i).start_ns, before);
      before = events.at(i).start_ns;
    }
    return std::count(v.begin(), v.end(), 'd');
  };
  const auto shuffled = denied(sent);
  std::stable_sort(sent.begin(), sent.end(),
                   [](const Sent& a, const Sent& b) { return a.at_ms < b.at_ms; });
  EXPECT_EQ(denied(sent), shuffled);
  EXPECT_GT(shuffled, 100);
}

TEST(Replay, TellsTheDeciderAllThatTheLogKnows) {
  const auto engine = engine_of(R"(version: 1
identity:
  keys:
    tenant: {from: "header:x-tenant"}
    person: {from: "attribute:user"}
classes:
  - {name: search, match: ["GET /search/*"], cost: {requests: 2}}
limits:
  - {name: tenant, key: [tenant], rate: 10/min, burst: 10}
  - {name: tokens, key: [person], unit: tokens, rate: 100/min, burst: 100}
)");
  ASSERT_NE(engine, nullptr);
  Events events;
  Record record;
  record.clear();
  record.time_ns = kStart;
  record.client = "[2001:db8::1]:443";
  record.method = "GET";
  record.target = "/search/x?q=1";
  record.user_agent = "agent/1";
  record.add_header("x-tenant", "acme");
  record.add_attribute("user", "42");
  record.add_cost("tokens", 70);
  events.add(record, record.target);
  record.add_header("x-more", "");
  record.cost_list[0].cost = 20;
  events.add(record, record.target);
  events.sort();
  Replay replay(*engine, events);
  const decide::Decision& first = replay.decide(0);
  ASSERT_EQ(first.count, 2u);
  EXPECT_TRUE(first.admit);
  EXPECT_EQ(first.limits()[0].outcome.remaining, 8u);
  EXPECT_EQ(first.limits()[1].outcome.remaining, 30u);
  const decide::Decision& second = replay.decide(1);
  EXPECT_EQ(second.limits()[1].outcome.remaining, 10u);
  EXPECT_EQ(events.callers(), 2u);
  EXPECT_EQ(events.caller(0).user_agent, "agent/1");
  EXPECT_FALSE(events.caller(0).named);
}

TEST(Replay, CountsAClientThatIsANameAsOneOfItsOwn) {
  const auto engine = engine_of(kPerClient);
  const Events events = events_of({{0, "host.example"},
                                   {0, "host.example"},
                                   {0, "host.example"},
                                   {0, "other.example"},
                                   {1, "host.example"}});
  Replay replay(*engine, events);
  EXPECT_EQ(verdicts(replay), "aaaad");
  EXPECT_TRUE(events.caller(0).named);
  const Keys keys(replay.snapshot(), events);
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys.name(keys.of(0)), "host.example");
}

TEST(Tally, CountsByKeyLimitTierClassAndTime) {
  const auto engine = engine_of(R"(version: 1
classes:
  - {name: health, match: ["GET /health"], exempt: true}
limits:
  - {name: client, key: [client], rate: 3/10s, burst: 3}
)");
  std::vector<Sent> sent;
  for (int i = 0; i < 10; ++i) sent.push_back({i, "192.0.2.1"});
  sent.push_back({20, "192.0.2.2"});
  sent.push_back({30, "192.0.2.3", "/health"});
  sent.push_back({5'000, "192.0.2.1"});
  const Events events = events_of(sent);
  Replay replay(*engine, events);
  const Keys keys(replay.snapshot(), events);
  Tally tally(replay.snapshot(), keys, events);
  for (std::size_t i = 0; i < events.size(); ++i) tally.add(events.at(i), replay.decide(i));
  const Totals& t = tally.totals();
  EXPECT_EQ(t.all.requests, 13u);
  EXPECT_EQ(t.all.denied, 7u);
  EXPECT_EQ(t.skipped, 1u);
  EXPECT_EQ(t.keys, 3u);
  EXPECT_EQ(t.hurt_keys, 1u);
  EXPECT_EQ(t.waits.count(), 7u);
  EXPECT_EQ(tally.limits()[0].asked, 12u);
  EXPECT_EQ(tally.limits()[0].governed, 7u);
  EXPECT_EQ(tally.limits()[0].hurt_keys, 1u);
  ASSERT_EQ(tally.hurt(10).size(), 1u);
  const KeyTally& hurt = tally.keys()[tally.hurt(10)[0]];
  EXPECT_EQ(hurt.count.requests, 11u);
  EXPECT_EQ(hurt.first_denied_ns, kStart + 3 * kMs);
  EXPECT_EQ(hurt.last_denied_ns, kStart + 9 * kMs);
  std::uint64_t of_steps = 0;
  for (const Count& c : tally.timeline().steps) of_steps += c.requests;
  EXPECT_EQ(of_steps, 13u);
  EXPECT_EQ(tally.timeline().steps.size(), 6u);
}

TEST(Compare, TellsWhoIsNewlyDeniedAndNewlyAdmitted) {
  const auto strict =
      engine_of("version: 1\nlimits:\n  - {name: client, key: [client], rate: 2/10s, burst: 2}\n");
  const auto other =
      engine_of("version: 1\nlimits:\n  - {name: client, key: [client], rate: 4/min, burst: 4}\n");
  const Events events = events_of({{0}, {1}, {2}, {3}, {4}, {10'001}, {10'002}});
  Replay a(*strict, events);
  Replay b(*other, events);
  const Keys keys(a.snapshot(), events);
  Comparison comparison(a.snapshot(), keys);
  for (std::size_t i = 0; i < events.size(); ++i) {
    comparison.add(events.at(i), a.decide(i), b.decide(i));
  }
  EXPECT_EQ(comparison.all().requests, 7u);
  EXPECT_EQ(comparison.all().newly_admitted, 2u);
  EXPECT_EQ(comparison.all().newly_denied, 2u);
  ASSERT_EQ(comparison.most_changed(5).size(), 1u);
  EXPECT_EQ(comparison.key(comparison.most_changed(5)[0]).newly_denied, 2u);
}

// ---- other algorithms ---------------------------------------------------------------------------

TEST(Alternatives, KeepTheBudget) {
  for (const Algorithm algorithm : kAlgorithms) {
    policy::Loaded loaded = policy::load_text(kPerClient, "policy.yaml");
    ASSERT_NE(loaded.policy, nullptr);
    ASSERT_TRUE(use_algorithm(*loaded.policy, algorithm).has_value());
    const algo::Numbers& n = loaded.policy->limits[0].tiers[0].numbers;
    EXPECT_EQ(n.algorithm, algorithm);
    EXPECT_EQ(n.count, 3u);
    EXPECT_EQ(n.period_ns, seconds(10).ns);
    EXPECT_EQ(n.burst, 3u);
    auto opened = decide::Engine::open_policy(std::move(loaded));
    ASSERT_NE(opened.engine, nullptr);
    const Events events = events_of({{0}, {0}, {0}, {0}});
    Replay replay(*opened.engine, events);
    EXPECT_EQ(verdicts(replay), "aaad") << name(algorithm);
  }
}

TEST(Alternatives, SayWhatCannotBe) {
  policy::Loaded loaded = policy::load_text(
      "version: 1\nlimits:\n  - {name: huge, key: [ip], rate: 100M/h}\n", "policy.yaml");
  ASSERT_NE(loaded.policy, nullptr);
  const auto done = use_algorithm(*loaded.policy, Algorithm::sliding_log);
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().text().find("huge"), std::string::npos);
}

// ---- clients ------------------------------------------------------------------------------------

TEST(Clients, AreReadFromTheirWords) {
  const auto model = parse_client_model("backoff:1s:5");
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->retry, Retry::backoff);
  EXPECT_EQ(model->wait, seconds(1));
  EXPECT_EQ(model->tries, 5u);
  EXPECT_EQ(parse_client_model("immediate")->tries, 3u);
  EXPECT_EQ(parse_client_model("retry-after:2")->tries, 2u);
  EXPECT_EQ(parse_client_model("fixed:500ms")->tries, 10u);
  for (const char* wrong : {"", "fixed", "fixed:", "fixed:0s", "fixed:1s:", "fixed:1s:0",
                            "fixed:1s:x", "backoff:1", "immediate:1001", "gives-up:1", "retry"}) {
    const auto refused = parse_client_model(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_NE(refused.error().text().find("backoff:1s:5"), std::string::npos);
  }
}

struct Tried {
  LoopCounts counts;
  std::string log;  // "at_ms admit" of every try
};

Tried run_loop(const char* model, const std::vector<Sent>& sent, std::uint64_t seed = 1) {
  const auto engine = engine_of(kPerClient);
  const Events events = events_of(sent);
  Replay replay(*engine, events);
  ClosedLoop loop(replay, *parse_client_model(model), seed);
  Tried tried;
  std::int64_t before = 0;
  loop.run([&](const Event& event, const decide::Decision& decision) {
    EXPECT_GE(event.start_ns, before);
    before = event.start_ns;
    tried.log += std::to_string((event.start_ns - kStart) / kMs) + (decision.admit ? "a " : "d ");
  });
  tried.counts = loop.counts();
  return tried;
}

TEST(Clients, ThatGiveUpMakeAnOpenLoop) {
  const Tried t = run_loop("gives-up", {{0}, {0}, {0}, {0}, {1}});
  EXPECT_EQ(t.log, "0a 0a 0a 0d 1d ");
  EXPECT_EQ(t.counts.given_up, 2u);
  EXPECT_EQ(t.counts.retries, 0u);
}

TEST(Clients, ThatHonourRetryAfterAreServedAtTheirFirstRetry) {
  // A token comes every 3.33 s; the header says 4.
  const Tried t = run_loop("retry-after", {{0}, {0}, {0}, {0}});
  EXPECT_EQ(t.log, "0a 0a 0a 0d 4000a ");
  EXPECT_EQ(t.counts.served_later, 1u);
  EXPECT_EQ(t.counts.given_up, 0u);
}

TEST(Clients, ThatHammerAreDeniedUntilTheyGiveUp) {
  const Tried t = run_loop("immediate:2", {{0}, {0}, {0}, {0}, {1}});
  EXPECT_EQ(t.log, "0a 0a 0a 0d 1d 1d 2d 2d 3d ");
  EXPECT_EQ(t.counts.retries, 4u);
  EXPECT_EQ(t.counts.given_up, 2u);
}

TEST(Clients, ThatWaitAFixedTimeComeBackThen) {
  const Tried t = run_loop("fixed:3s:3", {{0}, {0}, {0}, {0}});
  EXPECT_EQ(t.log, "0a 0a 0a 0d 3000d 6000a ");
}

TEST(Clients, ThatBackOffDoSoTheSameForASeedAndUpToADoubledWait) {
  std::vector<Sent> sent(40);
  const Tried a = run_loop("backoff:1s:6", sent, 5);
  EXPECT_EQ(a.log, run_loop("backoff:1s:6", sent, 5).log);
  EXPECT_NE(a.log, run_loop("backoff:1s:6", sent, 6).log);
  EXPECT_EQ(a.counts.first_tries, 40u);
  EXPECT_EQ(a.counts.served_later + a.counts.given_up, 37u);
  // The most that six waits can add up to.
  const std::size_t last = a.log.rfind(' ', a.log.size() - 2);
  EXPECT_LE(std::stoll(a.log.substr(last + 1)), 1'000 * (1 + 2 + 4 + 8 + 16 + 32));
}

}  // namespace
}  // namespace weir::traffic
