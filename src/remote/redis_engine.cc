#include "weir/redis.h"

#include <utility>

#include "engine/core.h"
#include "remote/open_store.h"

namespace weir {

RedisEngine::RedisEngine(std::unique_ptr<engine::Core> core) : core_(std::move(core)) {}
RedisEngine::RedisEngine(RedisEngine&&) noexcept = default;
RedisEngine& RedisEngine::operator=(RedisEngine&&) noexcept = default;
RedisEngine::~RedisEngine() = default;

Result<RedisEngine> RedisEngine::open(const std::string& policy_file) {
  auto core = engine::Core::open(policy_file, nullptr, remote::open_store);
  if (!core) return core.error();
  return RedisEngine(std::move(*core));
}

Result<RedisEngine> RedisEngine::open(const std::string& policy_file, Clock& clock) {
  auto core = engine::Core::open(policy_file, &clock, remote::open_store);
  if (!core) return core.error();
  return RedisEngine(std::move(*core));
}

void RedisEngine::decide(const Request& request, Callback callback) const {
  core_->decide(request, std::move(callback));
}

Answer RedisEngine::answer(const Verdict& verdict) const { return core_->answer(verdict); }
Result<void> RedisEngine::reload() { return core_->reload(); }
std::string RedisEngine::policy_id() const { return core_->policy_id(); }

}  // namespace weir
