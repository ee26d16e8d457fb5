// What a log says of its own traffic: suspects, shared addresses, repeats, routes.
#include "traffic/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "decide/engine.h"
#include "traffic/repeats.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kStart = 1'795'996'800'000'000'000;  // 2026-11-30T00:00:00Z
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;
constexpr std::int64_t kMinute = 60 * kSecond;

class Log {
 public:
  Log() {
    auto opened = decide::Engine::open_text(
        "version: 1\nidentity: {api_key: {from: \"header:x-api-key\", trusted: gateway}}\n"
        "limits:\n  - {name: client, key: [client], rate: 3/10s, burst: 3}\n",
        "policy.yaml");
    engine_ = std::move(opened.engine);
  }
  void add(std::int64_t at_ns, std::string_view client, std::string_view target = "/",
           std::uint16_t status = 200, std::string_view agent = "curl/8",
           std::string_view api_key = "") {
    Record record;
    record.clear();
    record.time_ns = kStart + at_ns;
    record.client = client;
    record.method = "GET";
    record.target = target;
    record.status = status;
    record.user_agent = agent;
    if (!api_key.empty()) record.add_header("x-api-key", api_key);
    events_.add(record, record.target);
  }
  Profile profile() {
    events_.sort();
    keys_ = std::make_unique<Keys>(*engine_->snapshot(), events_);
    return traffic::profile(events_, *keys_);
  }
  const Events& events() const { return events_; }
  std::string suspects(const Profile& profile) const {
    std::string text;
    for (const Suspect& s : profile.suspects) {
      text += keys_->name(s.key) + ": " + std::string(name(s.why)) + "\n";
    }
    return text;
  }

 private:
  std::unique_ptr<decide::Engine> engine_;
  Events events_;
  std::unique_ptr<Keys> keys_;
};

TEST(Profile, SuspectsWhoIsBeyondTheGap) {
  Log log;
  for (int client = 0; client < 100; ++client) {
    const std::string address = "192.0.2." + std::to_string(client);
    const int requests = client == 99 ? 36 : 2 + client % 11;  // ordinary: 12 a minute at most
    for (int i = 0; i < requests; ++i) log.add(i * kSecond, address);
  }
  const Profile profile = log.profile();
  EXPECT_EQ(log.suspects(profile), "192.0.2.99: far above the others\n");
  EXPECT_EQ(profile.suspects[0].busiest_minute, 36u);
}

TEST(Profile, SuspectsNobodyWhereThereIsNoGap) {
  Log log;
  for (int client = 0; client < 100; ++client) {
    const std::string address = "192.0.2." + std::to_string(client);
    for (int i = 0; i < (client == 99 ? 35 : 2 + client % 11); ++i) log.add(i * kSecond, address);
  }
  EXPECT_EQ(log.suspects(log.profile()), "");
}

TEST(Profile, SuspectsWhoMostlyFailsWhoIgnoresRefusalsAndWhoSaysItIsABot) {
  Log log;
  for (int i = 0; i < 10; ++i) {
    log.add(i * kMinute, "192.0.2.1", "/" + std::to_string(i), i % 2 == 0 ? 404 : 200);
    log.add(i * kMinute, "192.0.2.2", "/", i < 4 ? 404 : 200);      // less than half
    log.add(i * kSecond, "192.0.2.3", "/", 429);                    // within the second
    log.add(i * (kSecond + kMs), "192.0.2.4", "/", 429);            // waits a little longer
    if (i < 9) log.add(i * kMinute, "192.0.2.6", "/nothing", 404);  // too few to tell
  }
  log.add(0, "192.0.2.5", "/", 200, "Mozilla/5.0 (compatible; Searchbot/2.1)");
  log.add(0, "192.0.2.7", "/", 200, "Cubot_X20 Robotics");  // names that only contain it
  log.add(11 * kSecond, "192.0.2.3", "/", 200);
  EXPECT_EQ(log.suspects(log.profile()),
            "192.0.2.3: ignores 429\n192.0.2.1: mostly 4xx\n192.0.2.5: says it is a bot\n");
}

TEST(Profile, FindsAddressesThatSeveralShare) {
  Log log;
  const std::vector<std::string> agents{"a", "b", "c", "d"};
  for (int minute = 0; minute < 5; ++minute) {
    for (int i = 0; i < 4; ++i) {
      log.add(minute * kMinute + i * kSecond, "192.0.2.1", "/", 200, agents[i]);
      if (i < 3) log.add(minute * kMinute + i * kSecond, "192.0.2.2", "/", 200, agents[i]);
      // Four programs, but never two within a minute of the clock.
      log.add((minute * 4 + i) * kMinute, "192.0.2.3", "/", 200, agents[i]);
    }
  }
  for (const char* key : {"k1", "k2", "k3"}) log.add(0, "192.0.2.4", "/", 200, "a", key);
  for (const char* key : {"k1", "k2"}) log.add(0, "192.0.2.5", "/", 200, "a", key);
  const Profile profile = log.profile();
  ASSERT_EQ(profile.shared.size(), 2u) << profile.shared[0].address;
  EXPECT_EQ(profile.shared[0].address, "192.0.2.1");
  EXPECT_EQ(profile.shared[0].agents, 4u);
  EXPECT_EQ(profile.shared[0].identities, 0u);
  EXPECT_EQ(profile.shared[0].mixed_minutes, 5u);
  EXPECT_EQ(profile.shared[0].users(), 4u);
  EXPECT_EQ(profile.shared[1].address, "192.0.2.4");
  EXPECT_EQ(profile.shared[1].identities, 3u);
}

// A request repeats when the last one of its kind was refused no more than a minute before.
TEST(Profile, CountsRepeatsAsAModelThatLooksBackDoes) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    struct Sent {
      std::uint32_t key, request;
      std::int64_t at;
      bool refused;
    };
    std::vector<Sent> sent;
    std::int64_t at = 0;
    Repeats repeats;
    for (int i = 0; i < 300; ++i) {
      at += random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 20) * kSecond;
      const Sent next{static_cast<std::uint32_t>(random() % 3),
                      static_cast<std::uint32_t>(random() % 3), at, random() % 2 == 0};
      bool expected = false;
      for (auto before = sent.rbegin(); before != sent.rend(); ++before) {
        if (before->key != next.key || before->request != next.request) continue;
        expected = before->refused && next.at - before->at <= Repeats::kSoon_ns;
        break;
      }
      ASSERT_EQ(repeats.add(next.key, next.request, next.at, next.refused), expected) << i;
      sent.push_back(next);
    }
  }
}

TEST(Profile, TellsInflationSessionsAndRoutes) {
  Log log;
  log.add(0, "192.0.2.1", "/users/1", 503);
  log.add(kSecond, "192.0.2.1", "/users/1", 429);
  log.add(2 * kSecond, "192.0.2.1", "/users/1", 200);
  log.add(2 * kMinute, "192.0.2.1", "/users/2", 200);
  log.add(60 * kMinute, "192.0.2.1", "/wp-login.php", 404);
  const Profile profile = log.profile();
  EXPECT_EQ(profile.requests, 5u);
  EXPECT_EQ(profile.refused, 2u);
  EXPECT_EQ(profile.repeats, 2u);
  EXPECT_DOUBLE_EQ(profile.inflation(), 5.0 / 3.0);
  EXPECT_EQ(profile.sessions, 2u);
  std::vector<Count> counts(log.events().requests());
  for (std::size_t i = 0; i < log.events().size(); ++i) {
    counts[log.events().at(i).request].add(true);
  }
  const std::vector<Route> routes = find_routes(log.events(), profile.found, counts);
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0].path, "/users/{id}");
  EXPECT_EQ(routes[0].count.requests, 4u);
  EXPECT_EQ(routes[1].path, "");
}

}  // namespace
}  // namespace weir::traffic
