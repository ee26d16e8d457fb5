// What a server says, and what is made of it.
#include <gtest/gtest.h>

#include "redis/probe_judge.h"

namespace weir::redis {
namespace {

ServerFacts server(const std::string& info, ServerFacts::Map config = {},
                   ServerFacts::Map hello = {}) {
  ServerFacts facts;
  facts.info = parse_info(info);
  facts.config = std::move(config);
  facts.hello = std::move(hello);
  return facts;
}

TEST(ProbeJudge, ReadsTheLinesOfInfo) {
  const auto map =
      parse_info("# Server\r\nredis_version:7.0.15\r\n\r\nos:a:b\r\nno colon\r\nlast:1");
  EXPECT_EQ(map, (ServerFacts::Map{{"redis_version", "7.0.15"}, {"os", "a:b"}, {"last", "1"}}));
}

struct Case {
  const char* name;
  ProbeFinding found;
  Grade grade;
  const char* value;
  const char* advice;
};

void expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(name(c.found.grade), name(c.grade));
    EXPECT_NE(c.found.value.find(c.value), std::string::npos) << c.found.value;
    EXPECT_NE(c.found.advice.find(c.advice), std::string::npos) << c.found.advice;
    EXPECT_EQ(c.found.advice.empty(), c.advice[0] == '\0') << c.found.advice;
  }
}

TEST(ProbeJudge, Servers) {
  expect({
      {"redis 7", judge_server(server("", {}, {{"server", "redis"}, {"version", "7.0.15"}})),
       Grade::ok, "Redis 7.0.15", ""},
      {"the oldest", judge_server(server("redis_version:6.2.0")), Grade::ok, "Redis 6.2.0", ""},
      {"too old", judge_server(server("redis_version:6.0.16")), Grade::error, "6.0.16", "6.2"},
      {"two digits", judge_server(server("redis_version:10.0.0")), Grade::ok, "10.0.0", ""},
      {"valkey that calls itself redis",
       judge_server(server("redis_version:7.2.4\nvalkey_version:8.0.1", {},
                           {{"server", "redis"}, {"version", "7.2.4"}})),
       Grade::ok, "Valkey 8.0.1", ""},
      {"valkey by HELLO", judge_server(server("", {}, {{"server", "valkey"}, {"version", "8.1"}})),
       Grade::ok, "Valkey 8.1", ""},
      {"another", judge_server(server("redis_version:7.4.0\ndragonfly_version:df-v1")),
       Grade::warning, "dragonfly", "tested"},
      {"silent", judge_server({}), Grade::unknown, "does not say", ""},
  });
}

TEST(ProbeJudge, Roles) {
  expect({
      {"primary", judge_role(server("role:master")), Grade::ok, "primary", ""},
      {"replica", judge_role(server("role:slave\nmaster_host:10.0.0.1\nmaster_port:6379")),
       Grade::error, "replica of 10.0.0.1:6379", "primary"},
      {"sentinel", judge_role(server("redis_mode:sentinel")), Grade::error, "Sentinel",
       "redis+sentinel://"},
      {"cluster", judge_cluster(server("redis_mode:cluster"), false), Grade::error, "node",
       "redis+cluster://"},
      {"cluster by HELLO", judge_cluster(server("", {}, {{"mode", "cluster"}}), false),
       Grade::error, "node", "redis+cluster://"},
      {"standalone", judge_cluster(server("redis_mode:standalone"), false), Grade::ok, "off", ""},
      {"no replica", judge_replicas(server("connected_slaves:0", {{"min-replicas-to-write", "0"}})),
       Grade::ok, "none", ""},
      {"replicas that may lag",
       judge_replicas(server("connected_slaves:2", {{"min-replicas-to-write", "0"}})), Grade::info,
       "2, min-replicas-to-write 0", "failover"},
      {"bounded", judge_replicas(server("connected_slaves:2", {{"min-replicas-to-write", "1"}})),
       Grade::ok, "2, min-replicas-to-write 1", ""},
      {"too few", judge_replicas(server("connected_slaves:0", {{"min-replicas-to-write", "1"}})),
       Grade::error, "none", "refuses writes"},
  });
}

TEST(ProbeJudge, Memory) {
  expect({
      {"no limit", judge_eviction(server("maxmemory:0\nmaxmemory_policy:noeviction")), Grade::ok,
       "noeviction, no maxmemory", ""},
      {"room",
       judge_eviction(
           server("used_memory:1048576\nmaxmemory:104857600\nmaxmemory_policy:noeviction")),
       Grade::ok, "maxmemory 100.0 MiB", ""},
      {"nearly full",
       judge_eviction(
           server("used_memory:95000000\nmaxmemory:100000000\nmaxmemory_policy:noeviction")),
       Grade::warning, "used", "raise maxmemory"},
      {"evicts all", judge_eviction(server("maxmemory:1000\nmaxmemory_policy:allkeys-lru")),
       Grade::warning, "allkeys-lru", "noeviction"},
      {"evicts what ends", judge_eviction(server("maxmemory:1000\nmaxmemory_policy:volatile-ttl")),
       Grade::warning, "volatile-ttl", "noeviction"},
      {"would evict", judge_eviction(server("maxmemory:0\nmaxmemory_policy:allkeys-lru")),
       Grade::info, "no maxmemory", "noeviction"},
      {"by CONFIG",
       judge_eviction(server("", {{"maxmemory", "0"}, {"maxmemory-policy", "noeviction"}})),
       Grade::ok, "noeviction", ""},
  });
}

TEST(ProbeJudge, Disks) {
  expect({
      {"none", judge_persistence(server("aof_enabled:0", {{"save", ""}})), Grade::info, "none",
       "restart forgets all"},
      {"snapshots", judge_persistence(server("aof_enabled:0", {{"save", "3600 1"}})), Grade::info,
       "save 3600 1", "last snapshot"},
      {"every second", judge_persistence(server("aof_enabled:1", {{"appendfsync", "everysec"}})),
       Grade::info, "everysec", "last second"},
      {"always", judge_persistence(server("aof_enabled:1", {{"appendfsync", "always"}})), Grade::ok,
       "always", ""},
      {"broken",
       judge_persistence(server("aof_enabled:0\nrdb_last_bgsave_status:err", {{"save", "3600 1"}})),
       Grade::warning, "failed", "MISCONF"},
      {"CONFIG is forbidden", judge_persistence(server("aof_enabled:0")), Grade::unknown, "", ""},
  });
}

TEST(ProbeJudge, Connections) {
  const ServerFacts facts = server("connected_clients:10\nmaxclients:100");
  expect({
      {"room", judge_clients(facts, 4, 3), Grade::ok, "10 of maxclients 100; weir uses up to 12",
       ""},
      {"too many instances", judge_clients(facts, 64, 2), Grade::warning, "128", "raise"},
      {"no room now", judge_clients(server("connected_clients:98\nmaxclients:100"), 4, 1),
       Grade::warning, "98", "raise"},
      {"open", judge_idle(server("", {{"timeout", "0"}})), Grade::ok, "open", ""},
      {"closed when idle", judge_idle(server("", {{"timeout", "30"}})), Grade::info, "30 s",
       "timeout 0"},
  });
}

TEST(ProbeJudge, LatencyAgainstTheTimeout) {
  const auto judged = [](std::uint64_t least, std::uint64_t median) {
    return judge_latency(microseconds(least), microseconds(median), milliseconds(15));
  };
  expect({
      {"fast", judged(90, 412), Grade::ok, "0.090 ms at least, 0.412 ms median", ""},
      {"half", judged(90, 7'500), Grade::ok, "7.500 ms median", ""},
      {"above half", judged(90, 7'501), Grade::warning, "7.501 ms", "raise store.timeout"},
      {"never", judged(15'000, 16'000), Grade::error, "16.000 ms", "no decision"},
  });
}

TEST(ProbeJudge, ClocksThatAreSurelyApart) {
  expect({
      {"together", judge_clock(-1'200, 100), Grade::ok, "1.200 ms behind", ""},
      {"not surely", judge_clock(60'000, 10'000), Grade::ok, "60.000 ms ahead", ""},
      {"ahead", judge_clock(60'001, 10'000), Grade::warning, "60.001 ms ahead", "Retry-After"},
      {"behind", judge_clock(-3'600'000'000, 200), Grade::warning, "3600000.000 ms behind",
       "clocks"},
  });
}

}  // namespace
}  // namespace weir::redis
