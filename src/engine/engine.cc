#include "weir/engine.h"

#include <utility>

#include "engine/core.h"

namespace weir {
namespace {

// `decide` returns a verdict, and a store behind a network has none yet when it would have to.
Result<std::unique_ptr<store::Store>> open_store(const policy::StoreConfig& config) {
  if (config.type != policy::StoreType::memory) {
    return Error{ErrorCode::invalid_argument,
                 "weir::Engine decides at once and a Redis answers later: open this policy with "
                 "weir::RedisEngine (<weir/redis.h>, weir::redis) and ask "
                 "`decide(request, callback)`",
                 "store"};
  }
  return decide::Engine::open_memory(config);
}

}  // namespace

Engine::Engine(std::unique_ptr<engine::Core> core) : core_(std::move(core)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::open(const std::string& policy_file) {
  auto core = engine::Core::open(policy_file, nullptr, open_store);
  if (!core) return core.error();
  return Engine(std::move(*core));
}

Result<Engine> Engine::open(const std::string& policy_file, Clock& clock) {
  auto core = engine::Core::open(policy_file, &clock, open_store);
  if (!core) return core.error();
  return Engine(std::move(*core));
}

Verdict Engine::decide(const Request& request) const {
  Verdict verdict;
  core_->decide(request, verdict);
  return verdict;
}

void Engine::decide(const Request& request, Verdict& verdict) const {
  core_->decide(request, verdict);
}

void Engine::decide(const Request& request, const Callback& callback) const {
  core_->decide(request, callback);
}

Answer Engine::answer(const Verdict& verdict) const { return core_->answer(verdict); }
Result<void> Engine::reload() { return core_->reload(); }
std::string Engine::policy_id() const { return core_->policy_id(); }

}  // namespace weir
