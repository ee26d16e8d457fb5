// The store in a Redis server: exact over many machines, and honest when the server fails.
//
//   Result<std::unique_ptr<RedisStore>> store = RedisStore::open({.url =
//   "redis://127.0.0.1:6379"});
//   (*store)->charge(requests, now, sink);   // sink.decided comes on the store's own thread
//
// `charge` copies the requests into a bounded queue and returns; all that is queued when the
// store's thread takes its turn goes out in one write, many requests to a command. Each request is
// decided within `timeout` of the call, or told that it failed: at the deadline, when the queue is
// full, when the breaker is open, when no server is connected. A request that failed before it was
// written is never sent; one whose reply is lost is never sent again. Time is the server's own:
// `now` is not used. `refund` is not awaited. `inspect` and `reset` block the caller up to the
// timeout and answer "nothing there" when the store fails; never call them on the store's thread,
// in a Sink.
//
// Thread-safe. Ownership: what store.h says; the destructor fails what still waits and joins the
// thread. Without Redis `open` succeeds and the store connects later.
#pragma once

#include <memory>
#include <string>

#include "redis/health.h"
#include "redis/options.h"
#include "store/store.h"
#include "weir/result.h"

namespace weir::redis {

class Loop;

// Of prefix and secret: the same wherever the same counters are meant. Tells nothing of the secret.
std::string fingerprint(const Options& options);

class RedisStore final : public store::Store {
 public:
  // Fails for options that cannot work and files that cannot be read; never waits for Redis.
  static Result<std::unique_ptr<RedisStore>> open(const Options& options);
  ~RedisStore() override;

  bool immediate() const override { return false; }
  void charge(std::span<const store::Request> requests, Now now, store::Sink& sink) override;
  void refund(std::span<const store::Charge> charges, Now now) override;
  store::Inspection inspect(const store::Charge& charge, Now now) override;
  // Of a counter without a tag.
  bool reset(store::Slot slot, const base::Digest& key) override;
  bool reset(const store::Charge& counter) override;
  // Redis counts its keys for all its users: nothing is known here.
  store::Stats stats() const override { return {}; }
  const base::HashSecret& secret() const override { return secret_; }

  Health health() const;
  // Its URL without user and password, for people.
  const std::string& server() const { return server_; }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  RedisStore(const Options& options, std::string server, std::unique_ptr<Loop> loop);

  base::HashSecret secret_;
  std::string server_;
  std::string fingerprint_;
  Duration timeout_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace weir::redis
