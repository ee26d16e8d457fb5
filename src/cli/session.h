// An engine with the answer that a client would get: what `check`, `explain` and `test` ask.
//
//   Session session(std::move(opened.engine));
//   const Answered& a = session.ask(bound.facts(), clock.now());
//   a.decision.admit, session.answer().status, ...
//
// Not thread-safe; what `ask` returns lives until the next call.
#pragma once

#include <memory>
#include <string>

#include "answer/answer.h"
#include "decide/engine.h"
#include "identity/facts.h"
#include "weir/clock.h"

namespace weir::cli {

struct Answered {
  std::shared_ptr<const decide::Snapshot> snapshot;
  decide::Decision decision;
  answer::View view;
  answer::Answer answer;  // by Session::answer()
};

class Session {
 public:
  explicit Session(std::unique_ptr<decide::Engine> engine) : engine_(std::move(engine)) {}

  const Answered& ask(const identity::Facts& facts, Now now);
  // What the client would get for what was asked last; made when it is first asked for.
  const answer::Answer& answer();
  decide::Engine& engine() { return *engine_; }
  // The verdict JSON of POST /v1/check for what was asked last.
  std::string verdict_json();

 private:
  std::unique_ptr<decide::Engine> engine_;
  bool rendered_ = false;
  std::unique_ptr<Answered> last_ = std::make_unique<Answered>();  // an Answer stays where it is
};

// Says on stderr, where the policy counts in Redis, that this program does not.
void note_stand_in(const policy::Policy& policy);

// A header of an answer by its name in any case; null where there is none.
const answer::Header* find_header(const answer::Answer& answer, std::string_view name);

}  // namespace weir::cli
