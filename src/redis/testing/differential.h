// For tests: the same requests to the script in a real Redis and to the memory store, at the same
// whole microseconds, and every difference a failure.
//
//   Twins twins;
//   twins.decide({{charges, false}, {more, true}}, now_us);
//
// After every step each key touched must have a time to live within the law; then it is taken away,
// so that the real time which a test takes has no part in what is decided.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redis/batch.h"
#include "redis/testing/redis_process.h"
#include "store/memory/memory_store.h"
#include "store/testing/lab.h"

namespace weir::redis::testing {

struct TestRequest {
  std::vector<store::Charge> charges;
  bool peek = false;
  bool refund = false;
};

std::string describe(const store::Charge& charge);

class Twins {
 public:
  Twins();

  // Decides on both sides and compares. The verdicts are those of both.
  std::vector<store::testing::Seen> decide(const std::vector<TestRequest>& requests,
                                           std::uint64_t now_us);
  // Redis alone, e.g. at an instant before the last; null time: Redis' own clock.
  std::vector<store::testing::Seen> redis(const std::vector<TestRequest>& requests,
                                          std::optional<std::uint64_t> now_us);
  std::vector<store::testing::Seen> memory(const std::vector<TestRequest>& requests,
                                           std::uint64_t now_us);

  store::Charge charge(store::Slot slot, std::string_view key, const algo::Numbers& numbers,
                       std::uint64_t cost = 1) const;
  std::string key_name(const store::Charge& charge) const;
  // Both stores forget everything.
  void flush();

  RedisClient& client() { return *client_; }
  RedisProcess& server() { return *server_; }
  Batch& batch() { return batch_; }
  // What a reply held, of the last call.
  const std::string& last_reply() const { return last_reply_; }
  // Times to live that were written and judged.
  std::uint64_t ttls_checked() const { return ttls_checked_; }

 private:
  void fill(const std::vector<TestRequest>& requests);
  void send_ttl_checks(const std::vector<TestRequest>& requests);
  void read_ttl_checks();

  struct Watched {
    std::string name;
    std::uint64_t most_ms = 0;
    std::string what;
  };

  std::unique_ptr<RedisProcess> server_;
  std::unique_ptr<RedisClient> client_;
  std::unique_ptr<store::MemoryStore> store_;
  Batch batch_;
  std::string last_reply_;
  std::map<std::string, std::uint64_t> longest_ms_;  // by key, over all numbers it has seen
  std::vector<Watched> watched_;
  std::uint64_t ttls_checked_ = 0;
};

}  // namespace weir::redis::testing
