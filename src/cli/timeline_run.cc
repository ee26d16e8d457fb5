// Plays a timeline against engines with a clock of its own, and compares.
#include <utility>

#include "cli/session.h"
#include "cli/timeline.h"
#include "cli/timeline_expect.h"
#include "design/text.h"

namespace weir::cli {
namespace {

std::string filled(std::string text, const std::string& variable, std::uint64_t n) {
  if (variable.empty()) return text;
  const std::string placeholder = "{" + variable + "}";
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    text.replace(at, placeholder.size(), std::to_string(n));
  }
  return text;
}

RequestSpec filled(RequestSpec spec, const std::string& variable, std::uint64_t n) {
  spec.path = filled(spec.path, variable, n);
  spec.client_ip = filled(spec.client_ip, variable, n);
  for (auto& [name, value] : spec.headers) value = filled(value, variable, n);
  for (auto& [name, value] : spec.attributes) value = filled(value, variable, n);
  return spec;
}

class Player {
 public:
  explicit Player(const Timeline& timeline) : timeline_(timeline) {}

  TimelineResult play() {
    for (std::uint64_t i = 0; i < timeline_.engines; ++i) {
      auto opened = decide::Engine::open_text(timeline_.policy_text, timeline_.policy_file,
                                              timeline_.accounts_text);
      if (!opened.engine) {
        result_.findings = std::move(opened.findings);
        return std::move(result_);
      }
      if (i == 0) note_stand_in(*opened.engine->snapshot()->policy);
      sessions_.emplace_back(std::move(opened.engine));
    }
    wall_offset_ns_ = static_cast<std::int64_t>(timeline_.start.ns - kBegin.ns);
    for (const Step& step : timeline_.steps) {
      ++result_.steps;
      play(step);
    }
    return std::move(result_);
  }

 private:
  static constexpr Duration kBegin = days(1);  // the steady clock when the timeline starts

  void mismatch(const Step& step, policy::Position at, std::string what, std::string expected,
                std::string got) {
    result_.mismatches.push_back({result_.steps, at.line == 0 ? step.at_line : at, std::move(what),
                                  std::move(expected), std::move(got)});
  }

  void play(const Step& step) {
    const Duration at = step.relative ? elapsed_ + step.at : step.at;
    if (at < elapsed_) {
      mismatch(step, {}, "at",
               "an instant after the step before, " + design::duration_text(elapsed_),
               design::duration_text(at));
      return;
    }
    elapsed_ = at;
    wall_offset_ns_ += step.wall_step_ns;
    if (step.reload) {
      reload(step);
    } else if (step.request) {
      ask(step);
    }
  }

  void reload(const Step& step) {
    for (Session& session : sessions_) {
      const auto reloaded = session.engine().reload_text(*step.reload);
      if (reloaded.adopted) continue;
      for (const policy::Finding& f : reloaded.findings) {
        mismatch(step, {}, "reload", "a policy that loads", f.text());
      }
      return;
    }
  }

  void ask(const Step& step) {
    const auto snapshot = sessions_.front().engine().snapshot();
    if (const auto unknown = unknown_unit(*step.request, *snapshot->policy)) {
      mismatch(step, {}, "cost", "a unit that a limit counts", unknown->text());
      return;
    }
    Observed seen;
    std::uint64_t index = 0;
    for (std::uint64_t n = step.first; n <= step.last; ++n) {
      const auto bound = BoundRequest::bind(filled(*step.request, step.variable, n));
      if (!bound) {
        mismatch(step, {}, "request", "a request", bound.error().text());
        return;
      }
      for (std::uint64_t i = 0; i < step.repeat; ++i) {
        if (index > 0) elapsed_ = elapsed_ + step.every;
        ask_one(step, bound->facts(), index++, seen);
      }
    }
    if (seen.asked != nullptr) seen.asked->answer();
    for (const Expected& expected : step.expected) {
      const auto got = actual(seen, expected.path);
      if (got == expected.value) continue;
      mismatch(step, expected.at, expected.path, expected.value.value_or("nothing"),
               got.value_or("nothing"));
    }
  }

  void ask_one(const Step& step, const identity::Facts& facts, std::uint64_t index,
               Observed& seen) {
    const Duration skew = step.skew.empty() ? Duration{} : step.skew[index % step.skew.size()];
    const Now now{Instant{} + kBegin + elapsed_ + skew, wall_offset_ns_};
    Session& session = sessions_[result_.requests++ % sessions_.size()];
    const Answered& a = session.ask(facts, now);
    seen.last = &a;
    seen.asked = &session;
    if (a.decision.admit) {
      ++seen.admitted;
      if (!seen.delays.empty()) seen.delays += ", ";
      seen.delays += design::duration_text(a.decision.delay);
      return;
    }
    ++seen.denied;
    if (const decide::LimitVerdict* g = governing(a.decision)) {
      ++seen.denied_by[a.snapshot->policy->limits[g->limit].name];
    }
  }

  const Timeline& timeline_;
  std::vector<Session> sessions_;
  Duration elapsed_;
  std::int64_t wall_offset_ns_ = 0;
  TimelineResult result_;
};

}  // namespace

TimelineResult run_timeline(const Timeline& timeline) { return Player(timeline).play(); }

}  // namespace weir::cli
