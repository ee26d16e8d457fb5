#include "redis/testing/differential.h"

#include <algorithm>
#include <set>

#include "base/u128.h"
#include "redis/key_name.h"

namespace weir::redis::testing {
namespace {

using store::testing::Recorder;
using store::testing::Seen;

// What a key gets after each step, so that the script's own writes can be told.
constexpr std::string_view kForever = "90000000000000";
constexpr long long kNotWritten = 89'000'000'000'000;

// The most that a time to live may be: two windows, or twice the time to full, or a second.
std::uint64_t longest_ttl_ms(const algo::Numbers& n) {
  const bool bucket =
      n.algorithm == Algorithm::token_bucket || n.algorithm == Algorithm::leaky_bucket;
  const base::u128 ns =
      bucket ? base::u128{n.burst} * n.period_ns / n.count + 2 : base::u128{n.period_ns};
  return std::max<std::uint64_t>(1'000, static_cast<std::uint64_t>((2 * ns + 999'999) / 1'000'000));
}

void expect_same(const Outcome& redis, const Outcome& memory) {
  EXPECT_EQ(redis.admit, memory.admit);
  EXPECT_EQ(redis.reason, memory.reason);
  EXPECT_EQ(redis.limit, memory.limit);
  EXPECT_EQ(redis.remaining, memory.remaining);
  EXPECT_EQ(redis.wait.ns, memory.wait.ns);
  EXPECT_EQ(redis.reset.ns, memory.reset.ns);
  EXPECT_EQ(redis.delay.ns, memory.delay.ns);
  EXPECT_FALSE(redis.overflow);
  EXPECT_FALSE(memory.overflow);
}

}  // namespace

std::string describe(const store::Charge& c) {
  const algo::Numbers& n = *c.numbers;
  return std::string(name(n.algorithm)) + (n.align == Align::first ? " first" : "") + " slot " +
         std::to_string(c.slot) + " key " + std::to_string(c.key.lo % 10'000) + " count " +
         std::to_string(n.count) + " per " + std::to_string(n.period_ns) + " ns burst " +
         std::to_string(n.burst) + " max_wait " + std::to_string(n.max_wait_ns) + " cost " +
         std::to_string(c.cost) + (c.shadow ? " shadow" : "") + " max_delay " +
         std::to_string(c.max_delay.ns);
}

Twins::Twins() : server_(std::make_unique<RedisProcess>()) {
  client_ = std::make_unique<RedisClient>(server_->port());
  EXPECT_EQ(client_->text({"SCRIPT", "LOAD", charge_script().text}), charge_script().sha1);
  flush();
}

void Twins::flush() {
  auto opened =
      store::MemoryStore::open({.max_keys = 50'000, .shards = 1, .secret = base::HashSecret{3, 4}});
  ASSERT_TRUE(opened);
  store_ = std::move(*opened);
  EXPECT_EQ(client_->text({"FLUSHALL"}), "OK");
  longest_ms_.clear();
}

store::Charge Twins::charge(store::Slot slot, std::string_view key, const algo::Numbers& numbers,
                            std::uint64_t cost) const {
  store::Charge c;
  c.slot = slot;
  c.key = base::siphash13_128({3, 4}, std::to_string(slot) + "/" + std::string(key));
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

std::string Twins::key_name(const store::Charge& charge) const {
  std::string name;
  append_key(name, "weir", charge);
  return name;
}

void Twins::fill(const std::vector<TestRequest>& requests) {
  batch_.clear();
  for (const TestRequest& r : requests) {
    if (r.refund) {
      batch_.add_refund(r.charges);
    } else {
      batch_.add(r.charges, r.peek);
    }
  }
}

void Twins::send_ttl_checks(const std::vector<TestRequest>& requests) {
  std::set<std::string> names;
  for (const TestRequest& r : requests) {
    for (const store::Charge& c : r.charges) {
      const std::string name = key_name(c);
      std::uint64_t& most = longest_ms_[name];
      most = std::max(most, longest_ttl_ms(*c.numbers));
      if (names.insert(name).second) watched_.push_back({name, 0, describe(c)});
    }
  }
  for (Watched& w : watched_) {
    w.most_ms = longest_ms_[w.name];
    client_->send({"PTTL", w.name});
    client_->send({"PEXPIRE", w.name, kForever});
  }
}

void Twins::read_ttl_checks() {
  for (const Watched& w : watched_) {
    const Reply ttl = client_->read();
    (void)client_->read();
    ASSERT_TRUE(ttl && ttl->type == REDIS_REPLY_INTEGER);
    if (ttl->integer == -2) continue;          // no such key
    if (ttl->integer > kNotWritten) continue;  // not written this time
    EXPECT_GT(ttl->integer, 0) << w.what;
    EXPECT_LE(static_cast<std::uint64_t>(ttl->integer), w.most_ms) << w.what;
    ++ttls_checked_;
  }
  watched_.clear();
}

std::vector<Seen> Twins::redis(const std::vector<TestRequest>& requests,
                               std::optional<std::uint64_t> now_us) {
  fill(requests);
  std::string command;
  batch_.append_eval(command, charge_script(), "weir", true, now_us);
  client_->send(command);
  send_ttl_checks(requests);
  const Reply reply = client_->read();
  std::vector<Seen> seen;
  if (!reply || reply->type != REDIS_REPLY_STRING) {
    ADD_FAILURE() << "reply " << (reply && reply->str != nullptr ? reply->str : "none");
    read_ttl_checks();
    return seen;
  }
  last_reply_.assign(reply->str, reply->len);
  read_ttl_checks();
  const bool read = batch_.read_reply(last_reply_);
  EXPECT_TRUE(read) << "the reply contradicts algo";
  if (!read) return seen;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto outcomes = batch_.outcomes(i);
    seen.push_back({batch_.admit(i), false, batch_.now(), {outcomes.begin(), outcomes.end()}});
  }
  return seen;
}

std::vector<Seen> Twins::memory(const std::vector<TestRequest>& requests, std::uint64_t now_us) {
  const Now now{{now_us * 1'000}, 0};
  std::vector<Seen> seen;
  for (const TestRequest& r : requests) {
    if (r.refund) {
      for (const store::Charge& c : r.charges) store_->refund({&c, 1}, now);
      seen.push_back({true, false, now, {}});
      continue;
    }
    Recorder recorder;
    const store::Request request{r.charges, r.peek};
    store_->charge({&request, 1}, now, recorder);
    seen.push_back(recorder.seen.at(0));
  }
  return seen;
}

std::vector<Seen> Twins::decide(const std::vector<TestRequest>& requests, std::uint64_t now_us) {
  const std::vector<Seen> want = memory(requests, now_us);
  std::vector<Seen> got = redis(requests, now_us);
  EXPECT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size() && i < want.size(); ++i) {
    SCOPED_TRACE("request " + std::to_string(i) + (requests[i].peek ? " peek" : ""));
    EXPECT_EQ(got[i].admit, want[i].admit);
    EXPECT_EQ(got[i].now.steady, want[i].now.steady);
    EXPECT_EQ(got[i].outcomes.size(), want[i].outcomes.size());
    for (std::size_t j = 0; j < got[i].outcomes.size(); ++j) {
      SCOPED_TRACE("charge " + std::to_string(j) + ": " + describe(requests[i].charges[j]));
      expect_same(got[i].outcomes[j], want[i].outcomes[j]);
    }
  }
  if (::testing::Test::HasFailure()) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (const store::Charge& c : requests[i].charges) {
        ADD_FAILURE() << "at " << now_us << " request " << i << (requests[i].peek ? " peek " : "")
                      << (requests[i].refund ? " refund " : "") << ": " << describe(c);
      }
    }
  }
  return got;
}

}  // namespace weir::redis::testing
