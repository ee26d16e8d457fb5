// `probe` of a cluster and through Sentinels.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "redis/probe.h"
#include "redis/testing/redis_cluster.h"
#include "redis/testing/redis_process.h"

namespace weir::redis {
namespace {

using testing::RedisClient;
using testing::RedisCluster;
using testing::RedisProcess;
using Findings = std::vector<ProbeFinding>;

Findings probe_at(const std::string& url) {
  Options options;
  options.url = url;
  options.timeout = seconds(30);  // a loaded machine is no slow server
  return probe(options, {.step = seconds(10)});
}

std::size_t count(const Findings& all, std::string_view what, Grade grade, std::string_view value) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& f) {
    return f.what == what && f.grade == grade && f.value.find(value) != std::string::npos;
  }));
}

std::size_t errors(const Findings& all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto& f) { return f.grade == Grade::error; }));
}

std::string text(const Findings& all) {
  std::string out;
  for (const ProbeFinding& f : all) {
    out += std::string(name(f.grade)) + " " + f.what + ": " + f.value + "\n";
  }
  return out;
}

TEST(ProbeTopology, SaysWhatAClusterServesAndAsksEveryPrimary) {
  RedisCluster cluster(3);
  const Findings all = probe_at(cluster.url());
  EXPECT_EQ(errors(all), 0u) << text(all);
  EXPECT_EQ(count(all, "cluster", Grade::ok, "3 primaries, 0 replicas, 16384 of 16384"), 1u)
      << text(all);
  EXPECT_EQ(count(all, "node", Grade::ok, "127.0.0.1:"), 3u) << text(all);
  EXPECT_EQ(count(all, "script", Grade::ok, "decides"), 1u) << text(all);
  EXPECT_EQ(cluster.keys(), 0u);
}

TEST(ProbeTopology, SaysWhichNodeIsAwayAndWhichSlotsNobodyServes) {
  RedisCluster cluster(3);
  cluster.client(0).text({"CLUSTER", "DELSLOTS", "77"});
  const std::string url = cluster.url();
  cluster.node(2).kill();
  const Findings all = probe_at(url);
  EXPECT_EQ(count(all, "cluster", Grade::error, "16383 of 16384"), 1u) << text(all);
  EXPECT_EQ(count(all, "state", Grade::error, "down"), 1u) << text(all);
  EXPECT_EQ(count(all, "node", Grade::ok, "does not answer"), 1u) << text(all);
  EXPECT_EQ(count(all, "connect", Grade::error, std::to_string(cluster.node(2).port())), 1u)
      << text(all);
}

TEST(ProbeTopology, AServerThatIsNoNodeIsNoCluster) {
  RedisProcess server;
  const Findings all = probe_at("redis+cluster://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(count(all, "seed", Grade::warning, "cluster support disabled"), 1u) << text(all);
  EXPECT_EQ(count(all, "cluster", Grade::error, "no node answers"), 1u) << text(all);
}

TEST(ProbeTopology, FollowsTheSentinelsToThePrimary) {
  RedisProcess primary;
  const std::string file = "/tmp/weir-sentinel-" + std::to_string(::getpid()) + ".conf";
  std::ofstream(file) << "sentinel monitor main 127.0.0.1 " << primary.port() << " 1\n";
  RedisProcess sentinel({"--sentinel"}, 0, file);
  const std::string host = "127.0.0.1:" + std::to_string(sentinel.port());
  const Findings all = probe_at("redis+sentinel://127.0.0.1:1," + host + "/main");
  EXPECT_EQ(errors(all), 0u) << text(all);
  EXPECT_EQ(count(all, "sentinel", Grade::warning, "127.0.0.1:1: "), 1u) << text(all);
  EXPECT_EQ(count(all, "sentinel", Grade::ok, host + ": the primary is 127.0.0.1:"), 1u);
  EXPECT_EQ(count(all, "role", Grade::ok, "primary"), 1u);
  EXPECT_EQ(count(all, "script", Grade::ok, "decides"), 1u) << text(all);
  const Findings other = probe_at("redis+sentinel://" + host + "/other");
  EXPECT_EQ(count(other, "sentinel", Grade::warning, "watches no primary"), 1u) << text(other);
  EXPECT_EQ(count(other, "sentinels", Grade::error, "none names a primary"), 1u) << text(other);
  // The URL of the Sentinel itself.
  const Findings wrong = probe_at("redis://" + host);
  EXPECT_GT(errors(wrong), 0u) << text(wrong);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace weir::redis
