#include "engine/core.h"

#include <utility>

#include "answer/answer.h"
#include "decide/pending.h"
#include "engine/verdict.h"
#include "engine/view.h"

namespace weir::engine {
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

// A program's request as the decider reads it. Not copied: `facts` points into it.
struct RequestFacts {
  explicit RequestFacts(const Request& request)
      : cost{request.cost_unit, request.cost.value_or(1)} {
    facts.method = request.method;
    facts.target = request.target;
    facts.client = policy::Address::parse_with_port(request.client_ip);
    facts.peek = request.peek;
    if (request.cost) facts.costs = {&cost, 1};
    facts.headers = request.headers;
    facts.attributes = request.attributes;
  }
  RequestFacts(const RequestFacts&) = delete;

  identity::StatedCost cost;
  identity::Facts facts;
};

// Between a question to the store and its answer; deletes itself with the answer.
class Question final : public decide::Pending {
 public:
  Question(std::shared_ptr<const decide::Snapshot> snapshot, Callback callback)
      : snapshot_(std::move(snapshot)), callback_(std::move(callback)) {}

 private:
  void done() override {
    const std::unique_ptr<Question> self(this);
    callback_(Core::verdict_of(std::move(snapshot_), decision()));
  }

  std::shared_ptr<const decide::Snapshot> snapshot_;
  Callback callback_;
};

}  // namespace

Result<std::unique_ptr<Core>> Core::open(const std::string& policy_file, Clock* clock,
                                         decide::Engine::OpenStore open_store) {
  decide::Engine::Opened opened = decide::Engine::open(policy_file, open_store);
  if (!opened.engine) return Error{ErrorCode::invalid_argument, lines(opened.findings), ""};
  auto core = std::make_unique<Core>();
  core->engine = std::move(opened.engine);
  core->clock = clock != nullptr ? clock : &core->system_clock;
  return core;
}

void Core::decide(const Request& request, Verdict& verdict) const {
  const RequestFacts of(request);
  Verdict::Impl& into = *verdict.impl_;
  into.snapshot = engine->snapshot();
  engine->decide(*into.snapshot, of.facts, clock->now(), into.decision);
}

void Core::decide(const Request& request, Callback callback) const {
  if (engine->immediate()) {
    Verdict verdict;
    decide(request, verdict);
    return callback(std::move(verdict));
  }
  const RequestFacts of(request);
  auto snapshot = engine->snapshot();
  // Its own from here on: it may be done, and gone, before `start` returns.
  auto* question = new Question(snapshot, std::move(callback));  // NOLINT: deletes itself
  question->start(engine->decider(), std::move(snapshot), of.facts, clock->now());
}

Verdict Core::verdict_of(std::shared_ptr<const decide::Snapshot> snapshot,
                         const decide::Decision& decision) {
  Verdict verdict;
  verdict.impl_->snapshot = std::move(snapshot);
  verdict.impl_->decision = decision;
  return verdict;
}

Answer Core::answer(const Verdict& verdict) const {
  answer::View view;
  fill_view(view, *verdict.impl_->snapshot, verdict.impl_->decision);
  answer::Answer rendered;
  answer::render(rendered, view);
  Answer a;
  a.status = rendered.status;
  for (const answer::Header& h : rendered.headers) a.headers.emplace_back(h.name, h.value);
  a.body = std::move(rendered.body);
  return a;
}

Result<void> Core::reload() {
  const decide::Engine::Reloaded reloaded = engine->reload();
  if (reloaded.adopted) return {};
  return Error{ErrorCode::invalid_argument, lines(reloaded.findings), ""};
}

std::string Core::policy_id() const { return engine->snapshot()->policy->id; }

}  // namespace weir::engine
