// The store with a Redis that dies, stands still, answers late, cut or not at all, or says no.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "redis/redis_store.h"
#include "redis/testing/ask.h"
#include "redis/testing/fault_proxy.h"
#include "redis/testing/redis_process.h"
#include "store/testing/lab.h"

namespace weir::redis {
namespace {

using store::testing::a_day;
using testing::Answer;
using testing::ask;
using testing::Ask;
using testing::Fault;
using testing::FaultProxy;
using testing::RedisClient;
using testing::RedisProcess;
using testing::wait_until;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kLimit = 1'000'000;

Options options_for(int port, Duration timeout = weir::milliseconds(15)) {
  Options options;
  options.url = "redis://127.0.0.1:" + std::to_string(port);
  options.timeout = timeout;
  options.connections = 2;
  options.breaker.retry = weir::milliseconds(50);
  return options;
}

// So patient that a busy machine is no fault, and every failure is seen for what it is.
Options patient(int port) {
  Options options = options_for(port, seconds(2));
  options.breaker.errors = 1'000;
  return options;
}

// How late this machine wakes a thread that asked for a millisecond: no fault of the store's.
class Lateness {
 public:
  Lateness()
      : thread_([this] {
          while (!stop_) {
            const auto start = Clock::now();
            ::poll(nullptr, 0, 1);
            const auto late = Clock::now() - start - milliseconds(1);
            if (late > worst_.load()) worst_ = late;
          }
        }) {}
  ~Lateness() {
    stop_ = true;
    thread_.join();
  }
  Clock::duration worst() const { return worst_.load(); }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<Clock::duration> worst_{Clock::duration{}};
  std::thread thread_;
};

// A store under load: a call of some requests each millisecond, on a limit that never denies.
class Load {
 public:
  explicit Load(const Options& options)
      : timeout_(options.timeout), numbers_(a_day(Algorithm::fixed_window, kLimit)) {
    auto store = RedisStore::open(options);
    if (!store) ADD_FAILURE() << store.error().text();
    if (store) store_ = std::move(*store);
    charge_.key = base::siphash13_128({1, 2}, "load");
    charge_.numbers = &numbers_;
    requests_.assign(kRequests, store::Request{{&charge_, 1}, false});
  }
  static constexpr std::size_t kRequests = 5;

  RedisStore& store() { return *store_; }
  const store::Charge& charge() const { return charge_; }
  Answer ask_once() { return ask(*store_, {charge_}); }

  void run(milliseconds time) {
    for (const auto until = Clock::now() + time; Clock::now() < until;) {
      call();
      ::poll(nullptr, 0, 1);
    }
  }
  void call() {
    Ask& sink = asks_.emplace_back();
    sink.begin();
    store_->charge(requests_, {}, sink);
  }
  bool run_until(const std::function<bool()>& come) {
    return wait_until([&] {
      call();
      return come();
    });
  }
  // Until a whole call is admitted.
  bool recovers() {
    return run_until(
        [&] { return asks_.size() > 20 && (asks_.end() - 20)->admitted() == kRequests; });
  }
  // Every request has one verdict, in time.
  void settle() {
    for (Ask& sink : asks_) sink.wait(kRequests);
    // On its way a verdict waits for the machine up to three times: to go out, for its deadline,
    // and to be told.
    const auto allowed = timeout_.to_chrono() + milliseconds(5) + 3 * lateness_.worst();
    std::size_t late = 0;
    for (Ask& sink : asks_) {
      ASSERT_EQ(sink.verdicts(), kRequests);
      late += sink.slowest() > allowed ? 1 : 0;
      EXPECT_LE(sink.slowest(), allowed + milliseconds(200));
      admitted_ += sink.admitted();
      failed_ += sink.failed();
      EXPECT_EQ(sink.denied(), 0u);
    }
    // A busy machine may take the store's thread alone away for a while: a few, never the most. Not
    // so where each access to memory is watched.
#ifndef __SANITIZE_THREAD__
    EXPECT_LE(late, asks_.size() / 2);
#endif
    asks_.clear();
  }
  std::uint64_t admitted() const { return admitted_; }
  std::uint64_t failed() const { return failed_; }
  // What Redis has counted.
  std::uint64_t used(const RedisProcess& server) {
    Options options = options_for(server.port(), seconds(5));
    return kLimit - (*RedisStore::open(options))->inspect(charge_, {}).now.remaining;
  }
  // Each admitted request was charged once; of the rest only what was written and never answered
  // may have been.
  void expect_exact(const RedisProcess& server) {
    const std::uint64_t lost = store_->health().lost;
    const std::uint64_t counted = used(server);
    EXPECT_GE(counted, admitted_);
    EXPECT_LE(counted, admitted_ + lost);
    EXPECT_LE(lost, failed_);
  }

 private:
  Duration timeout_;
  algo::Numbers numbers_;
  store::Charge charge_;
  std::vector<store::Request> requests_;
  std::unique_ptr<RedisStore> store_;
  std::deque<Ask> asks_;
  std::uint64_t admitted_ = 0, failed_ = 0;
  Lateness lateness_;
};

TEST(RedisFaults, StartsWithoutRedisAndConnectsWhenItIsThere) {
  const int port = RedisProcess::free_port();
  Load load(options_for(port));
  load.run(milliseconds(100));
  load.settle();
  EXPECT_EQ(load.admitted(), 0u);
  EXPECT_GT(load.failed(), 0u);
  EXPECT_GT(load.store().health().connection_failures(Failure::unreachable), 0u);
  EXPECT_FALSE(load.store().health().last_error.empty());
  const RedisProcess server({}, port);
  EXPECT_TRUE(load.recovers());
  load.settle();
  EXPECT_GT(load.admitted(), 0u);
  load.expect_exact(server);
}

TEST(RedisFaults, AServerThatIsKilledAndComesBackIsFoundAgain) {
  RedisProcess server;
  Load load(options_for(server.port()));
  ASSERT_TRUE(load.recovers());
  load.settle();
  const std::uint64_t before = load.admitted();
  server.kill();
  load.run(milliseconds(150));
  load.settle();
  EXPECT_LE(load.admitted(), before + 2 * Load::kRequests);
  const std::uint64_t lost = load.store().health().lost;
  server.restart();
  const std::uint64_t at_restart = load.admitted();
  EXPECT_TRUE(load.recovers());
  load.settle();
  // Empty again: it has counted what it admitted, and nothing of before.
  const std::uint64_t counted = load.used(server);
  EXPECT_GE(counted, load.admitted() - at_restart);
  EXPECT_LE(counted, load.admitted() - at_restart + load.store().health().lost - lost);
}

TEST(RedisFaults, AServerThatStandsStillHangsNobody) {
  RedisProcess server;
  Load load(options_for(server.port()));
  ASSERT_TRUE(load.recovers());
  ::kill(server.pid(), SIGSTOP);
  load.run(milliseconds(1'000));
  ::kill(server.pid(), SIGCONT);
  EXPECT_TRUE(load.recovers());
  load.settle();
  EXPECT_GT(load.failed(), 100u);
  load.expect_exact(server);
  // The breaker and the stalled connections kept nearly all of it from being sent.
  EXPECT_LT(load.store().health().lost, load.failed() / 2);
  EXPECT_GT(load.store().health().opened, 0u);
}

// Without a breaker to help: what stalls is not given more.
TEST(RedisFaults, AConnectionWhoseReplyIsOverdueGetsNothingMore) {
  RedisProcess server;
  Options options = options_for(server.port());
  options.breaker.errors = 1'000'000;
  Load load(options);
  ASSERT_TRUE(load.recovers());
  load.settle();
  ::kill(server.pid(), SIGSTOP);
  load.run(milliseconds(100));
  load.settle();
  const std::uint64_t lost = load.store().health().lost;
  load.run(milliseconds(300));
  load.settle();
  EXPECT_EQ(load.store().health().lost, lost);
  ::kill(server.pid(), SIGCONT);
  EXPECT_TRUE(load.recovers());
  load.settle();
  load.expect_exact(server);
}

TEST(RedisFaults, RepliesThatComeTooLateAreDropped) {
  RedisProcess server;
  FaultProxy proxy(server.port());
  Load load(options_for(proxy.port()));
  ASSERT_TRUE(load.recovers());
  load.settle();
  const std::uint64_t before = load.admitted();
  proxy.set({.delay = milliseconds(60)});
  load.run(milliseconds(300));
  load.settle();
  EXPECT_LE(load.admitted(), before + 10 * Load::kRequests);
  EXPECT_TRUE(wait_until([&] { return load.store().health().late > 0; }));
  proxy.set({});
  EXPECT_TRUE(load.recovers());
  load.settle();
  load.expect_exact(server);
}

TEST(RedisFaults, ALostReplyIsNotChargedTwice) {
  RedisProcess server;
  FaultProxy proxy(server.port());
  Options options = patient(proxy.port());
  options.timeout = weir::milliseconds(50);
  options.connections = 1;
  Load load(options);
  ASSERT_EQ(load.ask_once(), Answer::admitted);
  proxy.set({.drop = true});
  EXPECT_EQ(load.ask_once(), Answer::failed);
  EXPECT_EQ(load.store().health().lost, 1u);
  proxy.set({});
  ASSERT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
  EXPECT_EQ(load.used(server), 3u);
}

TEST(RedisFaults, AReplyThatIsCutIsNotChargedTwice) {
  RedisProcess server;
  FaultProxy proxy(server.port());
  Load load(patient(proxy.port()));
  ASSERT_EQ(load.ask_once(), Answer::admitted);
  proxy.set({.cut = true});
  EXPECT_EQ(load.ask_once(), Answer::failed);
  EXPECT_EQ(load.store().health().failures(Failure::lost), 1u);
  EXPECT_EQ(load.store().health().lost, 1u);
  proxy.set({});
  ASSERT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
  EXPECT_EQ(load.used(server), 3u);
}

TEST(RedisFaults, WhatIsNoReplyEndsTheConnection) {
  RedisProcess server;
  for (const char* bytes : {"HTTP/1.1 400 Bad Request\r\n\r\n", "$3\r\nabc\r\n", "+OK\r\n",
                            ":1\r\n", "*0\r\n", "$9000000000\r\n"}) {
    FaultProxy proxy(server.port());
    Load load(patient(proxy.port()));
    ASSERT_EQ(load.ask_once(), Answer::admitted);
    proxy.set({.instead = bytes});
    EXPECT_EQ(load.ask_once(), Answer::failed) << bytes;
    EXPECT_EQ(load.store().health().failures(Failure::protocol), 1u) << bytes;
    EXPECT_TRUE(wait_until([&] {
      return load.store().health().connection_failures(Failure::protocol) > 0;
    })) << bytes;
    proxy.set({});
    EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; })) << bytes;
  }
}

TEST(RedisFaults, EveryErrorReplyHasItsReaction) {
  RedisProcess server;
  const std::pair<const char*, Failure> kErrors[] = {
      {"-CLUSTERDOWN The cluster is down\r\n", Failure::clusterdown},
      {"-MOVED 3999 127.0.0.1:6381\r\n", Failure::moved},
      {"-ASK 3999 127.0.0.1:6381\r\n", Failure::ask},
      {"-TRYAGAIN Multiple keys request during rehashing of slot\r\n", Failure::tryagain},
      {"-MASTERDOWN Link with MASTER is down\r\n", Failure::masterdown},
      {"-LOADING Redis is loading the dataset in memory\r\n", Failure::loading},
      {"-MISCONF cannot persist\r\n", Failure::misconf},
      {"-NOREPLICAS Not enough good replicas to write.\r\n", Failure::noreplicas},
      {"-NOAUTH Authentication required.\r\n", Failure::noauth},
      {"-ERR something else\r\n", Failure::other_error},
  };
  for (const auto& [bytes, failure] : kErrors) {
    SCOPED_TRACE(bytes);
    FaultProxy proxy(server.port());
    Options options = patient(proxy.port());
    options.connections = 1;
    Load load(options);
    ASSERT_EQ(load.ask_once(), Answer::admitted);
    proxy.set({.instead = bytes});
    EXPECT_EQ(load.ask_once(), Answer::failed);
    const Health health = load.store().health();
    EXPECT_EQ(health.failures(failure), 1u);
    EXPECT_EQ(health.lost, 0u);
    EXPECT_TRUE(health.last_error.starts_with(name(failure))) << health.last_error;
    const bool closes = reaction(failure).connection == OnConnection::close;
    const auto closed = [&, kind = failure] {
      return load.store().health().connection_failures(kind) > 0;
    };
    EXPECT_TRUE(closes ? wait_until(closed) : !closed());
    proxy.set({});
    EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
  }
}

TEST(RedisFaults, AReplicaIsRefusedAndItsPromotionNoticed) {
  RedisProcess server;
  RedisClient client(server.port());
  Load load(patient(server.port()));
  ASSERT_EQ(load.ask_once(), Answer::admitted);
  const std::string nobody = std::to_string(RedisProcess::free_port());
  ASSERT_EQ(client.text({"REPLICAOF", "127.0.0.1", nobody}), "OK");
  EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::failed; }));
  // By its reply to a charge, and then by its greeting.
  EXPECT_TRUE(wait_until([&] {
    (void)load.ask_once();
    return load.store().health().connected == 0;
  }));
  EXPECT_GE(load.store().health().failures(Failure::readonly), 1u);
  ASSERT_EQ(client.text({"REPLICAOF", "NO", "ONE"}), "OK");
  EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
}

TEST(RedisFaults, AFullServerFailsWhatItMayNotWriteAndRecovers) {
  RedisProcess server({"--maxmemory-policy", "noeviction"});
  RedisClient client(server.port());
  Load load(patient(server.port()));
  ASSERT_EQ(load.ask_once(), Answer::admitted);
  client.text({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(load.ask_once(), Answer::failed);
  EXPECT_EQ(load.store().health().failures(Failure::oom), 1u);
  EXPECT_GT(load.store().health().connected, 0u);
  client.text({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(load.ask_once(), Answer::admitted);
  EXPECT_EQ(load.used(server), 2u);
}

TEST(RedisFaults, AServerThatLoadsItsDataIsWaitedFor) {
  char path[] = "/tmp/weir-redis-XXXXXX";
  ASSERT_NE(::mkdtemp(path), nullptr);
  {
    RedisProcess server({"--dir", path, "--enable-debug-command", "yes"});
    RedisClient client(server.port());
    Load load(patient(server.port()));
    ASSERT_EQ(load.ask_once(), Answer::admitted);
    client.text({"DEBUG", "POPULATE", "3000"});
    client.text({"CONFIG", "SET", "key-load-delay", "100"});
    client.text({"CONFIG", "SET", "loading-process-events-interval-bytes", "1024"});
    client.send(std::vector<std::string_view>{"DEBUG", "RELOAD"});
    std::thread reload([&] { (void)client.read(); });
    EXPECT_TRUE(wait_until([&] {
      (void)load.ask_once();
      return load.store().health().failures(Failure::loading) > 0;
    }));
    reload.join();
    EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
  }
  std::filesystem::remove_all(path);
}

TEST(RedisFaults, AServerBusyWithAScriptIsNamedAndRecovers) {
  RedisProcess server({"--busy-reply-threshold", "5"});
  Options options = options_for(server.port());
  options.breaker.errors = 1'000'000;
  Load load(options);
  ASSERT_TRUE(load.recovers());
  RedisClient client(server.port());
  client.send({"EVAL", "while true do end", "0"});
  std::thread busy([&] { (void)client.read(); });
  EXPECT_TRUE(load.run_until([&] { return load.store().health().failures(Failure::busy) > 0; }));
  RedisClient(server.port()).text({"SCRIPT", "KILL"});
  busy.join();
  EXPECT_TRUE(load.recovers());
  load.settle();
  load.expect_exact(server);
}

TEST(RedisFaults, ASlowCommandOfSomebodyFailsWhatItDelays) {
  RedisProcess server({"--enable-debug-command", "yes"});
  Load load(options_for(server.port()));
  ASSERT_TRUE(load.recovers());
  RedisClient client(server.port());
  client.send({"DEBUG", "SLEEP", "0.2"});
  std::thread slow([&] { (void)client.read(); });
  EXPECT_TRUE(load.run_until([&] { return load.store().health().failures(Failure::timeout) > 0; }));
  slow.join();
  EXPECT_TRUE(load.recovers());
  load.settle();
  load.expect_exact(server);
}

TEST(RedisFaults, AnOpenBreakerFailsAtOnceAndAProbeClosesIt) {
  RedisProcess server({"--maxmemory-policy", "noeviction"});
  RedisClient client(server.port());
  Options options = options_for(server.port(), seconds(2));
  options.breaker = {.errors = 3, .window = seconds(10), .retry = weir::milliseconds(100)};
  Load load(options);
  ASSERT_EQ(load.ask_once(), Answer::admitted);
  client.text({"CONFIG", "SET", "maxmemory", "1"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(load.ask_once(), Answer::failed);
  client.text({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(load.store().health().opened, 1u);
  EXPECT_EQ(load.ask_once(), Answer::failed);
  EXPECT_EQ(load.store().health().failures(Failure::breaker_open), 1u);
  EXPECT_EQ(load.store().health().failures(Failure::oom), 3u);
  EXPECT_TRUE(wait_until([&] { return load.ask_once() == Answer::admitted; }));
  EXPECT_EQ(load.store().health().breaker, Breaker::State::closed);
}

}  // namespace
}  // namespace weir::redis
