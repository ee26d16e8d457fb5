// The script in a real Redis: what is not a matter of arithmetic.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "algo/step.h"
#include "redis/key_name.h"
#include "redis/testing/differential.h"

namespace weir::redis::testing {
namespace {

using store::testing::a_day;
using store::testing::bucket;
using store::testing::kAlgorithms;
using store::testing::leaky;
using store::testing::window;

constexpr std::uint64_t kStartUs = 1'795'996'800'000'000;  // 2026-11-30T00:00:00Z

std::string eval(const std::vector<store::Charge>& charges,
                 std::optional<std::uint64_t> now_us = std::nullopt) {
  Batch batch;
  batch.add(charges, false);
  std::string command;
  batch.append_eval(command, charge_script(), "weir", true, now_us);
  return command;
}

TEST(RedisScript, IsTheInstalledFileByteForByte) {
  std::string text;
  FILE* file = std::fopen("src/redis/script/charge.lua", "rb");
  ASSERT_NE(file, nullptr);
  char bytes[4096];
  for (std::size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, file)) > 0;) {
    text.append(bytes, n);
  }
  std::fclose(file);
  EXPECT_EQ(charge_script().text, text);
  EXPECT_EQ(charge_script().sha1.size(), 40u);
}

// The head of a log that claims `places` of which `size` from `first` on are used.
std::string log_head_of(std::uint64_t places, std::uint64_t first, std::uint64_t size) {
  std::string head = "WLG1";
  const auto put = [&](std::uint64_t number, int bytes) {
    for (; bytes > 0; --bytes, number >>= 8) head += static_cast<char>(number & 0xff);
  };
  put(places, 4), put(first, 4), put(size, 4);
  put(0, 8), put(kStartUs - 1, 8), put(3, 8);
  return head;
}

// Values that others left under a counter's name: too short, too long, out of range, other types.
TEST(RedisScript, WhatIsNoStateCountsAsFullAndIsOverwritten) {
  Twins twins;
  const std::string log_head = std::string("WLG1") + std::string(36, '\xff');
  const std::vector<std::string> values{
      "",
      "0",
      "1795996800",
      std::string(8, '\x7f'),
      std::string(9, '\x01'),  // a bucket of version 1
      std::string(10, 'x'),
      std::string(13, '\x01'),
      std::string(14, '\xff'),
      std::string(21, '\xff'),
      std::string(40, 'W'),
      log_head,
      std::string("WLG1\1\0\0\0\0\0\0\0\2\0\0\0", 16) + std::string(24, '\1'),
      log_head_of(0xffffffff, 0x80000000, 3),
      log_head_of(1 << 25, 3 << 23, 3),
      log_head_of(4, 0, 4),
      log_head_of(2, 1, 2) + std::string(16, '\0'),
      std::string(1'000, '\0')};
  const std::vector<std::vector<std::string_view>> others{{"HSET", "", "f", "v"},
                                                          {"RPUSH", "", "1:2"},
                                                          {"SADD", "", "m"},
                                                          {"ZADD", "", "1", "m"},
                                                          {"XADD", "", "*", "f", "v"}};
  for (const Algorithm algorithm : kAlgorithms) {
    SCOPED_TRACE(name(algorithm));
    const algo::Numbers numbers = a_day(algorithm, 5);
    for (std::size_t i = 0; i < values.size() + others.size(); ++i) {
      SCOPED_TRACE("value " + std::to_string(i));
      twins.flush();
      const store::Charge c = twins.charge(1, "k", numbers, 2);
      const store::Charge healthy = twins.charge(1, "other", numbers, 2);
      const std::string key = twins.key_name(c);
      if (i < values.size()) {
        twins.client().text({"SET", key, values[i]});
      } else {
        std::vector<std::string_view> command = others[i - values.size()];
        command[1] = key;
        twins.client().text(command);
      }
      ASSERT_EQ(twins.client().integer({"EXISTS", key}), 1);
      // All from full: 2 of 5, 4 of 5, denied. And the rest of the batch is as ever.
      (void)twins.decide({{{c}}, {{healthy}}, {{c}}, {{c}}}, kStartUs);
      ASSERT_FALSE(HasFailure());
      EXPECT_EQ(twins.client().text({"TYPE", key}), "string");
      EXPECT_GT(twins.client().integer({"PTTL", key}), 0);
    }
  }
}

// Fifteen bytes are always an instant, and may be one that nobody can owe: cut to the time to full.
TEST(RedisScript, AnInstantBeyondTheBurstIsCutByTheDenialThatFindsIt) {
  Twins twins;
  const algo::Numbers numbers = bucket(10, seconds(1), 10);
  const store::Charge c = twins.charge(1, "k", numbers);
  const std::string key = twins.key_name(c);
  twins.client().text({"SET", key, std::string(15, '\xff')});
  const auto denied = twins.redis({{{c}}}, kStartUs);
  ASSERT_EQ(denied.size(), 1u);
  EXPECT_FALSE(denied[0].admit);
  EXPECT_EQ(denied[0].outcomes[0].wait, milliseconds(100));
  EXPECT_GT(twins.client().integer({"PTTL", key}), 0);
  EXPECT_FALSE(twins.redis({{{c}}}, kStartUs + 99'999)[0].admit);
  EXPECT_TRUE(twins.redis({{{c}}}, kStartUs + 100'000)[0].admit);
}

// Against algo itself: the memory store's own clock does not go back.
TEST(RedisScript, AClockThatWasSteppedBackDelaysNoKeyBeyondItsTimeToFull) {
  Twins twins;
  std::mt19937_64 random(5);
  store::Slot slot = 0;
  for (const Algorithm algorithm : kAlgorithms) {
    if (algorithm == Algorithm::sliding_log) continue;
    for (const Align align : {Align::epoch, Align::first}) {
      const bool is_bucket =
          algorithm == Algorithm::token_bucket || algorithm == Algorithm::leaky_bucket;
      for (const std::uint64_t count : {5u, 7u}) {
        const algo::Numbers numbers = algorithm == Algorithm::token_bucket
                                          ? bucket(count, seconds(1), count)
                                      : is_bucket ? leaky(count, seconds(1), count)
                                                  : window(algorithm, count, seconds(1), align);
        SCOPED_TRACE(std::string(name(algorithm)) + (align == Align::first ? " first" : ""));
        const store::Charge plain = twins.charge(++slot, "k", numbers);
        algo::State state;
        std::uint64_t now_us = kStartUs;
        for (int i = 0; i < 400; ++i) {
          now_us += random() % 300'000;
          if (random() % 20 == 0) now_us -= random() % 5'000'000;
          store::Charge c = plain;
          c.cost = 1 + random() % count;
          const Now now{{now_us * 1'000}, 0};
          const algo::Step step = algo::charge(numbers, state, c.cost, now, c.max_delay);
          state = step.next;
          const auto seen = twins.redis({{{c}}}, now_us);
          ASSERT_EQ(seen.size(), 1u);
          ASSERT_EQ(seen[0].admit, step.outcome.admit) << i;
          ASSERT_EQ(seen[0].outcomes[0].remaining, step.outcome.remaining) << i;
          ASSERT_EQ(seen[0].outcomes[0].wait, step.outcome.wait) << i;
          ASSERT_LE(seen[0].outcomes[0].wait, seconds(2)) << i;
          ASSERT_FALSE(HasFailure());
        }
      }
    }
  }
}

TEST(RedisScript, ALogOfTheFutureCountsAsOfNow) {
  Twins twins;
  const algo::Numbers numbers = window(Algorithm::sliding_log, 3, seconds(1));
  algo::Log log;
  std::mt19937_64 random(9);
  std::uint64_t now_us = kStartUs;
  std::uint64_t newest_us = 0;  // of the entries
  for (int i = 0; i < 600; ++i) {
    now_us += random() % 300'000;
    if (random() % 20 == 0) now_us -= random() % 3'000'000;
    const store::Charge c = twins.charge(1, "k", numbers, 1 + random() % 2);
    algo::Log next = log;
    const Outcome want = next.charge(numbers, c.cost, {{now_us * 1'000}, 0});
    // A denial leaves the log as it is, what has left included, unless some of it was of the
    // future.
    if (want.admit || newest_us > now_us) {
      log = next;
      newest_us = now_us;
    }
    const auto seen = twins.redis({{{c}}}, now_us);
    ASSERT_EQ(seen.size(), 1u);
    ASSERT_EQ(seen[0].admit, want.admit) << i;
    ASSERT_EQ(seen[0].outcomes[0].remaining, want.remaining) << i;
    ASSERT_EQ(seen[0].outcomes[0].wait, want.wait) << i;
    ASSERT_EQ(seen[0].outcomes[0].reset, want.reset) << i;
    ASSERT_LE(want.wait, seconds(1)) << i;
  }
}

// I5, by Redis' own clock: after every call every key has a time to live within the law.
TEST(RedisScript, NoKeyIsEverWithoutATimeToLive) {
  Twins twins;
  std::vector<algo::Numbers> numbers;
  for (const Algorithm a : kAlgorithms) {
    numbers.push_back(a_day(a, 40));
    const bool is_bucket = a == Algorithm::token_bucket || a == Algorithm::leaky_bucket;
    numbers.push_back(is_bucket ? bucket(7, milliseconds(300), 9)
                                : window(a, 9, milliseconds(300), Align::first));
    numbers.push_back(is_bucket ? bucket(1, seconds(3), 2) : window(a, 2, seconds(3)));
  }
  std::mt19937_64 random(17);
  for (int i = 0; i < 1'500; ++i) {
    std::vector<TestRequest> batch(1 + random() % 4);
    for (TestRequest& r : batch) {
      const auto slot = static_cast<store::Slot>(random() % numbers.size());
      r.charges = {twins.charge(slot, std::to_string(random() % 5), numbers[slot], random() % 4)};
      r.peek = random() % 8 == 0;
      r.refund = random() % 8 == 0;
    }
    (void)twins.redis(batch, std::nullopt);  // judges the keys it touched
    ASSERT_FALSE(HasFailure());
    if (i % 100 != 0) continue;
    const Reply keys = twins.client().command({"KEYS", "*"});
    for (std::size_t k = 0; k < keys->elements; ++k) {
      const std::string key(keys->element[k]->str, keys->element[k]->len);
      EXPECT_GT(twins.client().integer({"PTTL", key}), 0) << key;
    }
  }
  EXPECT_GT(twins.ttls_checked(), 500u);
}

// INCR, then EXPIRE, by a client that dies in between: nobody ever gets in again.
TEST(RedisScript, AClientThatDiesLeavesNoCounterForEver) {
  Twins twins;
  {
    RedisClient dies(twins.server().port());
    EXPECT_EQ(dies.integer({"INCR", "naive"}), 1);
  }
  EXPECT_EQ(twins.client().integer({"PTTL", "naive"}), -1);  // what it leaves, for ever

  // The script's call, cut off at every byte: it has happened, time to live and all, or it has not.
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 1'000'000);
  const store::Charge c = twins.charge(1, "k", numbers);
  const std::string command = eval({c});
  const std::string key = twins.key_name(c);
  for (std::size_t cut = 1; cut <= command.size(); ++cut) {
    RedisClient dies(twins.server().port());
    ASSERT_EQ(::write(dies.socket(), command.data(), cut), static_cast<ssize_t>(cut));
    dies.close();
    const long long ttl = twins.client().integer({"PTTL", key});
    ASSERT_TRUE(ttl == -2 || ttl > 0) << "cut at " << cut << ": " << ttl;
  }
}

// The server itself is killed between the two, and comes back with what it had written down.
TEST(RedisScript, AServerThatIsKilledLeavesNoCounterForEver) {
  char directory[] = "/tmp/weir-redis-XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  const std::vector<std::string> durable{"--appendonly", "yes",   "--appendfsync",
                                         "always",       "--dir", directory};
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 10);
  store::Charge c;
  c.numbers = &numbers;
  c.key = {1, 2};
  std::string key;
  append_key(key, "weir", c);
  {
    RedisProcess server(durable);
    RedisClient client(server.port());
    EXPECT_EQ(client.integer({"INCR", "naive"}), 1);
    client.text({"SCRIPT", "LOAD", charge_script().text});
    client.send(eval({c}));
    const Reply reply = client.read();
    ASSERT_TRUE(reply && reply->type == REDIS_REPLY_STRING);
    server.kill();
  }
  RedisProcess server(durable);
  RedisClient client(server.port());
  while (client.text({"PING"}) != "PONG") ::usleep(1'000);  // it reads its file first
  EXPECT_EQ(client.integer({"PTTL", "naive"}), -1);
  EXPECT_GT(client.integer({"PTTL", key}), 0);
  server.kill();
  (void)std::system(("rm -r " + std::string(directory)).c_str());
}

TEST(RedisScript, AReadOnlyReplicaRefusesAndNothingIsCharged) {
  Twins twins;
  twins.client().text({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  RedisProcess replica({"--replicaof", "127.0.0.1 " + std::to_string(twins.server().port())});
  RedisClient client(replica.port());
  for (int i = 0; i < 4'000; ++i) {
    if (client.text({"INFO", "replication"}).find("master_link_status:up") != std::string::npos) {
      break;
    }
    ::usleep(5'000);
  }
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 10);
  const std::string command = eval({twins.charge(1, "k", numbers)});
  EXPECT_EQ(client.text({"SCRIPT", "LOAD", charge_script().text}), charge_script().sha1);
  client.send(command);
  const Reply refused = client.read();
  ASSERT_TRUE(refused && refused->type == REDIS_REPLY_ERROR);
  EXPECT_NE(std::string(refused->str, refused->len).find("READONLY"), std::string::npos);
  EXPECT_EQ(client.integer({"DBSIZE"}), 0);
}

TEST(RedisScript, OutOfMemoryRefusesTheWholeBatch) {
  Twins twins;
  twins.client().text({"CONFIG", "SET", "maxmemory", "1"});
  const algo::Numbers numbers = a_day(Algorithm::fixed_window, 10);
  Batch batch;
  for (int i = 0; i < 5; ++i) {
    const store::Charge c = twins.charge(1, std::to_string(i), numbers);
    batch.add({&c, 1}, false);
  }
  std::string command;
  batch.append_eval(command, charge_script(), "weir", true, std::nullopt);
  twins.client().send(command);
  const Reply refused = twins.client().read();
  ASSERT_TRUE(refused && refused->type == REDIS_REPLY_ERROR);
  EXPECT_NE(std::string(refused->str, refused->len).find("OOM"), std::string::npos);
  EXPECT_EQ(twins.client().integer({"DBSIZE"}), 0);
}

TEST(RedisScript, ACallOfAnotherVersionIsRefused) {
  Twins twins;
  std::string argument(27, '\0');
  argument[0] = 1;
  EXPECT_EQ(twins.client().text({"EVALSHA", charge_script().sha1, "0", argument}),
            "ERR weir: unknown version of the call");
}

// Instances that know nothing of each other: 100 a day are 100 among all of them.
TEST(RedisScript, ConcurrentInstancesAdmitExactlyTheLimit) {
  Twins twins;
  for (const Algorithm algorithm : kAlgorithms) {
    const algo::Numbers numbers = a_day(algorithm, 100);
    const store::Charge c = twins.charge(9, "k", numbers);
    std::atomic<int> admitted{0};
    std::vector<std::thread> instances;
    for (int t = 0; t < 4; ++t) {
      instances.emplace_back([&] {
        RedisClient client(twins.server().port());
        for (int i = 0; i < 40; ++i) {
          Batch batch;
          batch.add({&c, 1}, false);
          std::string command;
          batch.append_eval(command, charge_script(), "weir", true, std::nullopt);
          client.send(command);
          const Reply reply = client.read();
          ASSERT_TRUE(reply && reply->type == REDIS_REPLY_STRING);
          ASSERT_TRUE(batch.read_reply({reply->str, reply->len}));
          admitted += batch.admit(0) ? 1 : 0;
        }
      });
    }
    for (std::thread& t : instances) t.join();
    EXPECT_EQ(admitted.load(), 100) << name(algorithm);
  }
}

}  // namespace
}  // namespace weir::redis::testing
