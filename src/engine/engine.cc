#include "decide/engine.h"

#include <array>
#include <utility>

#include "answer/answer.h"
#include "engine/verdict.h"
#include "engine/view.h"
#include "weir/engine.h"

namespace weir {
namespace {

std::string lines(const policy::Findings& findings) {
  std::string text;
  for (const policy::Finding& f : findings) {
    if (f.severity != policy::Severity::error) continue;
    if (!text.empty()) text += '\n';
    text += f.text();
  }
  return text;
}

// `decide` returns a verdict, and a store behind a network has none yet when it would have to.
Result<std::unique_ptr<store::Store>> open_store(const policy::StoreConfig& config) {
  if (config.type != policy::StoreType::memory) {
    return Error{ErrorCode::invalid_argument,
                 "weir::Engine of this version counts in this process only, not in Redis; "
                 "`weir serve` does",
                 "store"};
  }
  return decide::Engine::open_memory(config);
}

}  // namespace

struct Engine::Impl {
  std::unique_ptr<decide::Engine> engine;
  SystemClock system_clock;
  Clock* clock = nullptr;
};

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::open(const std::string& policy_file) {
  auto impl = std::make_unique<Impl>();
  Clock& clock = impl->system_clock;
  decide::Engine::Opened opened = decide::Engine::open(policy_file, open_store);
  if (!opened.engine) {
    return Error{ErrorCode::invalid_argument, lines(opened.findings), ""};
  }
  impl->engine = std::move(opened.engine);
  impl->clock = &clock;
  return Engine(std::move(impl));
}

Result<Engine> Engine::open(const std::string& policy_file, Clock& clock) {
  Result<Engine> engine = open(policy_file);
  if (engine) engine->impl_->clock = &clock;
  return engine;
}

Verdict Engine::decide(const Request& request) const {
  Verdict verdict;
  decide(request, verdict);
  return verdict;
}

void Engine::decide(const Request& request, Verdict& verdict) const {
  identity::Facts facts;
  facts.method = request.method;
  facts.target = request.target;
  facts.client = policy::Address::parse_with_port(request.client_ip);
  facts.peek = request.peek;
  const identity::StatedCost cost{request.cost_unit, request.cost.value_or(1)};
  if (request.cost) facts.costs = {&cost, 1};
  facts.headers = request.headers;
  facts.attributes = request.attributes;
  Verdict::Impl& into = *verdict.impl_;
  into.snapshot = impl_->engine->snapshot();
  impl_->engine->decide(*into.snapshot, facts, impl_->clock->now(), into.decision);
}

Answer Engine::answer(const Verdict& verdict) const {
  answer::View view;
  engine::fill_view(view, *verdict.impl_->snapshot, verdict.impl_->decision);
  answer::Answer rendered;
  answer::render(rendered, view);
  Answer a;
  a.status = rendered.status;
  for (const answer::Header& h : rendered.headers) a.headers.emplace_back(h.name, h.value);
  a.body = std::move(rendered.body);
  return a;
}

Result<void> Engine::reload() {
  const decide::Engine::Reloaded reloaded = impl_->engine->reload();
  if (reloaded.adopted) return {};
  return Error{ErrorCode::invalid_argument, lines(reloaded.findings), ""};
}

std::string Engine::policy_id() const { return impl_->engine->snapshot()->policy->id; }

}  // namespace weir
