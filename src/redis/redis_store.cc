#include "redis/redis_store.h"

#include <utility>

#include "base/digest.h"
#include "base/redis_url.h"
#include "redis/loop.h"

namespace weir::redis {

Result<std::unique_ptr<RedisStore>> RedisStore::open(const Options& options) {
  if (const Result<void> ok = check(options); !ok) return ok.error();
  ConnectionSettings settings;
  const base::RedisUrl url = *base::parse_redis_url(options.url);
  settings.login.username = options.username.empty() ? url.username : options.username;
  settings.login.password = options.password.empty() ? url.password : options.password;
  settings.login.database = url.database;
  settings.prefix = options.prefix;
  settings.given_time = options.given_time;
  if (url.tls) {
    Result<std::unique_ptr<boost::asio::ssl::context>> tls = make_tls(options);
    if (!tls) return tls.error();
    settings.tls = std::move(*tls);
  }
  auto loop = std::make_unique<Loop>(options, std::move(settings), url);
  loop->start();
  return std::unique_ptr<RedisStore>(new RedisStore(options, base::shown(url), std::move(loop)));
}

std::string fingerprint(const Options& options) {
  constexpr int kDigits = 6;  // enough to see that two differ
  std::uint64_t hash = base::siphash13_128(options.secret, "fingerprint\n" + options.prefix).lo;
  std::string text;
  for (int i = 0; i < kDigits; ++i, hash >>= 4) text += "0123456789abcdef"[hash & 15];
  return text;
}

RedisStore::RedisStore(const Options& options, std::string server, std::unique_ptr<Loop> loop)
    : secret_(options.secret),
      server_(std::move(server)),
      fingerprint_(redis::fingerprint(options)),
      timeout_(options.timeout),
      loop_(std::move(loop)) {}

RedisStore::~RedisStore() = default;

void RedisStore::charge(std::span<const store::Request> requests, Now now, store::Sink& sink) {
  if (loop_->inbox().charge(requests, now, sink, steady_now() + timeout_)) loop_->wake();
}

void RedisStore::refund(std::span<const store::Charge> charges, Now now) {
  if (loop_->inbox().add(Waiting::Kind::refund, charges, now, steady_now() + timeout_, nullptr)) {
    loop_->wake();
  }
}

store::Inspection RedisStore::inspect(const store::Charge& charge, Now now) {
  Question question;
  std::future<bool> answered = question.answered.get_future();
  store::Charge free = charge;
  free.cost = 0;
  if (loop_->inbox().add(Waiting::Kind::inspect, {&free, 1}, now, steady_now() + timeout_,
                         &question)) {
    loop_->wake();
  }
  if (answered.get()) return question.inspection;
  store::Inspection unknown;
  unknown.now.admit = false;
  unknown.now.reason = Reason::store_failure;
  return unknown;
}

bool RedisStore::reset(store::Slot slot, const base::Digest& key) {
  store::Charge counter;
  counter.slot = slot;
  counter.key = key;
  return reset(counter);
}

bool RedisStore::reset(const store::Charge& counter) {
  Question question;
  std::future<bool> answered = question.answered.get_future();
  if (loop_->inbox().add(Waiting::Kind::reset, {&counter, 1}, {}, steady_now() + timeout_,
                         &question)) {
    loop_->wake();
  }
  return answered.get() && question.found;
}

Health RedisStore::health() const { return loop_->health(); }

}  // namespace weir::redis
