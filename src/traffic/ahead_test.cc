// What another thread makes out ahead changes no decision.
#include "traffic/ahead.h"

#include <gtest/gtest.h>

#include <random>

#include "traffic/replay.h"

namespace weir::traffic {
namespace {

constexpr std::string_view kPolicy = R"(version: 1
identity: {keys: {tenant: {from: "header:x-tenant"}}}
classes:
  - {name: health, match: [/healthz], exempt: true}
  - {name: search, match: ["GET /search/*"], cost: {requests: 2}}
limits:
  - {name: address, key: [ip], rate: 5/s, burst: 10}
  - {name: tenant, classes: [search], key: [tenant], algorithm: sliding_log, limit: 20, window: 3s, on_missing: skip}
  - {name: all, key: global, rate: 60/s, burst: 60}
)";

Events random_events(std::size_t count) {
  std::mt19937_64 random(1);
  Events events;
  Record record;
  std::int64_t at = 1'795'996'800'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    at += static_cast<std::int64_t>(random() % 20'000'000);
    record.clear();
    record.time_ns = at;
    const std::string client = "192.0.2." + std::to_string(random() % 9);
    const std::string target = random() % 10 == 0  ? "/healthz"
                               : random() % 2 == 0 ? "/search/" + std::to_string(random() % 50)
                                                   : "/items";
    record.client = client;
    record.method = "GET";
    record.target = target;
    if (random() % 2 == 0) record.add_header("x-tenant", random() % 2 == 0 ? "a" : "b");
    events.add(record, record.target);
  }
  events.sort();
  return events;
}

std::unique_ptr<decide::Engine> open() {
  auto opened = decide::Engine::open_text(kPolicy, "policy.yaml");
  EXPECT_NE(opened.engine, nullptr);
  return std::move(opened.engine);
}

std::string text_of(const decide::Decision& d) {
  std::string text = std::to_string(d.admit) + " " + std::to_string(d.class_id) + " " +
                     std::to_string(d.retry_after.ns);
  for (const decide::LimitVerdict& v : d.limits()) {
    text += " " + std::to_string(v.limit) + ":" + std::to_string(v.outcome.remaining) + ":" +
            std::to_string(v.outcome.reset.ns);
  }
  return text;
}

TEST(Ahead, DecidesAsOneThreadDoes) {
  for (const std::size_t count : {1u, 255u, 256u, 257u, 512u, 10'000u}) {
    const Events events = random_events(count);
    const auto one = open();
    const auto two = open();
    const auto snapshot = one->snapshot();
    Ahead ahead(*one, *snapshot, events);
    Replay replay(*two, events);
    std::size_t denied = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const decide::Decision& decision = ahead.next();
      denied += decision.admit ? 0 : 1;
      ASSERT_EQ(text_of(decision), text_of(replay.decide_at(i, replay.event_instant(i)))) << i;
    }
    EXPECT_GE(denied, count == 10'000 ? 1'000u : 0u);
  }
}

TEST(Ahead, CanBeLeftInTheMiddle) {
  const Events events = random_events(2'000);
  const auto engine = open();
  const auto snapshot = engine->snapshot();
  { const Ahead untouched(*engine, *snapshot, events); }
  Ahead ahead(*engine, *snapshot, events);
  for (int i = 0; i < 300; ++i) (void)ahead.next();
}

}  // namespace
}  // namespace weir::traffic
