// `probe` against real servers: what each is found to be.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "redis/probe.h"
#include "redis/testing/fault_proxy.h"
#include "redis/testing/redis_process.h"

namespace weir::redis {
namespace {

using testing::RedisClient;
using testing::RedisProcess;
using Findings = std::vector<ProbeFinding>;

Options at(int port) {
  Options options;
  options.url = "redis://127.0.0.1:" + std::to_string(port);
  options.timeout = seconds(30);  // a loaded machine is no slow server
  return options;
}

Findings probe_at(const Options& options, Duration step = seconds(20)) {
  return probe(options, {.step = step});
}

const ProbeFinding& find(const Findings& all, std::string_view what) {
  static const ProbeFinding none{"none", Grade::error, "no such finding", ""};
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.what == what; });
  return at == all.end() ? none : *at;
}

void expect(const Findings& all, std::string_view what, Grade grade, std::string_view value,
            std::string_view advice = "") {
  const ProbeFinding& f = find(all, what);
  EXPECT_EQ(name(f.grade), name(grade)) << what << ": " << f.value;
  EXPECT_NE(f.value.find(value), std::string::npos) << what << ": " << f.value;
  EXPECT_NE(f.advice.find(advice), std::string::npos) << what << ": " << f.advice;
}

int errors(const Findings& all) {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const ProbeFinding& f) {
    if (f.grade == Grade::error) std::printf("%s: %s\n", f.what.c_str(), f.value.c_str());
    return f.grade == Grade::error;
  }));
}

TEST(Probe, AGoodServerHasNoErrorAndKeepsNoKey) {
  RedisProcess server;
  const Findings all = probe_at(at(server.port()));
  EXPECT_EQ(errors(all), 0);
  expect(all, "connect", Grade::ok, "127.0.0.1:" + std::to_string(server.port()));
  expect(all, "login", Grade::info, "no password, database 0", "ACL");
  expect(all, "server", Grade::ok, ".");
  expect(all, "role", Grade::ok, "primary");
  expect(all, "replicas", Grade::ok, "none");
  expect(all, "cluster", Grade::ok, "off");
  expect(all, "eviction", Grade::ok, "noeviction");
  expect(all, "persistence", Grade::info, "none", "restart");
  expect(all, "clients", Grade::ok, "maxclients");
  expect(all, "idle", Grade::ok, "open");
  expect(all, "latency", Grade::ok, "PING");
  expect(all, "clock", Grade::ok, "this machine");
  expect(all, "commands", Grade::ok, "weir:*");
  expect(all, "script", Grade::ok, "leaves no key");
  EXPECT_EQ(RedisClient(server.port()).integer({"DBSIZE"}), 0);
}

TEST(Probe, APasswordIsUsedAndNeverShown) {
  RedisProcess server({"--requirepass", "s3cret-word"});
  Options options = at(server.port());
  expect(probe_at(options), "login", Grade::error, "NOAUTH", "store.password");
  options.password = "wr0ng-word";
  const Findings wrong = probe_at(options);
  expect(wrong, "login", Grade::error, "WRONGPASS");
  EXPECT_EQ(wrong.back().what, "login");
  options.url = "redis://:s3cret-word@127.0.0.1:" + std::to_string(server.port());
  options.password = "";
  const Findings good = probe_at(options);
  EXPECT_EQ(errors(good), 0);
  expect(good, "login", Grade::ok, "user default");
  for (const Findings& all : {wrong, good}) {
    for (const ProbeFinding& f : all) {
      EXPECT_EQ((f.value + f.advice).find("-word"), std::string::npos) << f.value;
    }
  }
}

// The rights that the documentation gives to weir.
TEST(Probe, AUserWithNoMoreThanItsRightsIsEnough) {
  RedisProcess server;
  RedisClient client(server.port());
  EXPECT_EQ(client.text({"ACL", "SETUSER", "weir", "on", ">pw", "~weir:*", "+@connection",
                         "+evalsha", "+eval", "+script|load", "+time", "+mget", "+set", "+del",
                         "+pexpire", "+getrange", "+setrange"}),
            "OK");
  Options options = at(server.port());
  options.username = "weir";
  options.password = "pw";
  const Findings all = probe_at(options);
  EXPECT_EQ(errors(all), 0);
  expect(all, "commands", Grade::ok, "all");
  expect(all, "script", Grade::ok, "decides");
  expect(all, "eviction", Grade::unknown, "NOPERM");
  expect(all, "persistence", Grade::unknown, "NOPERM");
  expect(all, "server", Grade::ok, "Redis");  // by HELLO
  EXPECT_EQ(client.integer({"DBSIZE"}), 0);
}

TEST(Probe, MissingRightsAreNamed) {
  RedisProcess server;
  RedisClient client(server.port());
  EXPECT_EQ(client.text({"ACL", "SETUSER", "weir", "on", ">pw", "~other:*", "+@all", "-time",
                         "-script", "-pexpire"}),
            "OK");
  Options options = at(server.port());
  options.username = "weir";
  options.password = "pw";
  const Findings all = probe_at(options);
  expect(all, "commands", Grade::error, "NOPERM",
         "ACL SETUSER weir +script|load +time +pexpire ~weir:*");
  expect(all, "script", Grade::error, "NOPERM", "store.prefix");
  expect(all, "clock", Grade::unknown, "NOPERM");
}

TEST(Probe, ACommandThatWasRenamedIsUnknownOrMissing) {
  RedisProcess server({"--rename-command", "CONFIG", "", "--rename-command", "MGET", ""});
  const Findings all = probe_at(at(server.port()));
  expect(all, "persistence", Grade::unknown, "unknown command");
  expect(all, "eviction", Grade::ok, "noeviction");  // INFO says it
  expect(all, "commands", Grade::error, "MGET", "+mget");
  EXPECT_NE(find(all, "script").grade, Grade::ok);
}

TEST(Probe, AReplicaIsAnErrorAndItsPrimaryKnowsOfIt) {
  RedisProcess primary;
  RedisProcess replica({"--replicaof", "127.0.0.1 " + std::to_string(primary.port())});
  const Findings all = probe_at(at(replica.port()));
  expect(all, "role", Grade::error, "replica of 127.0.0.1:" + std::to_string(primary.port()),
         "primary");
  expect(all, "commands", Grade::ok, "all");
  EXPECT_EQ(find(all, "script").what, "none");
}

TEST(Probe, ANodeOfAClusterIsAnError) {
  const std::string file = "weir-probe-" + std::to_string(::getpid()) + ".conf";
  // Its bus would be 10,000 above its port, which a free port may have no room for.
  RedisProcess server({"--cluster-enabled", "yes", "--cluster-config-file", file, "--cluster-port",
                       std::to_string(RedisProcess::free_port())});
  expect(probe_at(at(server.port())), "cluster", Grade::error, "node", "redis+cluster://");
  std::remove(("/tmp/" + file).c_str());
}

TEST(Probe, EvictionIsAWarningAndAFullServerAnError) {
  RedisProcess server({"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"});
  const Findings evicts = probe_at(at(server.port()));
  EXPECT_EQ(errors(evicts), 0);
  expect(evicts, "eviction", Grade::warning, "allkeys-lru", "noeviction");
  RedisClient client(server.port());
  client.text({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  client.text({"CONFIG", "SET", "maxmemory", "1"});
  const Findings full = probe_at(at(server.port()));
  expect(full, "eviction", Grade::warning, "noeviction", "raise maxmemory");
  expect(full, "commands", Grade::ok, "all");
  expect(full, "script", Grade::error, "OOM", "maxmemory");
}

TEST(Probe, TooFewReplicasAreAnError) {
  RedisProcess server({"--min-replicas-to-write", "1"});
  const Findings all = probe_at(at(server.port()));
  expect(all, "replicas", Grade::error, "min-replicas-to-write 1", "refuses writes");
  expect(all, "script", Grade::error, "NOREPLICAS");
}

TEST(Probe, NobodyThere) {
  const Findings all = probe_at(at(RedisProcess::free_port()));
  ASSERT_EQ(all.size(), 1u);
  expect(all, "connect", Grade::error, "refused", "firewall");
}

TEST(Probe, AServerWithoutTlsIsToldApart) {
  RedisProcess server;
  Options options = at(server.port());
  options.url.insert(5, "s");
  const Findings all = probe_at(options, seconds(1));  // it waits for more, in silence
  expect(all, "connect", Grade::ok, "127.0.0.1");
  expect(all, "tls", Grade::error, "no handshake in time", "speak TLS");
  EXPECT_EQ(all.back().what, "tls");
}

TEST(Probe, ASilentServerCostsOneStep) {
  RedisProcess server;
  testing::FaultProxy proxy(server.port());
  proxy.set({.drop = true});
  const Findings all = probe_at(at(proxy.port()), milliseconds(50));
  expect(all, "login", Grade::error, "no answer in time");
  EXPECT_EQ(all.back().what, "login");
}

TEST(Probe, AnotherProtocolIsNamed) {
  RedisProcess server;
  testing::FaultProxy proxy(server.port());
  proxy.set({.instead = "HTTP/1.1 400 Bad Request\r\n\r\n"});
  expect(probe_at(at(proxy.port())), "login", Grade::error, "", "Redis protocol");
}

TEST(Probe, WrongSettingsAreNotTried) {
  Options options = at(1);
  options.prefix = "a b";
  const Findings all = probe_at(options);
  ASSERT_EQ(all.size(), 1u);
  expect(all, "settings", Grade::error, "prefix");
}

}  // namespace
}  // namespace weir::redis
