#include "cli/replay_job.h"

#include <iostream>

#include "cli/files.h"
#include "cli/report.h"
#include "cli/session.h"
#include "design/text.h"
#include "policy/loader.h"
#include "traffic/alternatives.h"

namespace weir::cli {
namespace {

bool tells_by_query(const PolicyRun& run) {
  for (const policy::IdentityKey& key : run.snapshot->policy->identity.keys) {
    if (key.source == policy::Source::query) return true;
  }
  return false;
}

}  // namespace

void add_report_options(Options& options, ReplayAsked& asked) {
  options
      .add("--algorithms", asked.algorithms,
           "`all`: the same budget under each algorithm, side by side")
      .type("all");
  options.add("--vs", asked.vs, "compare with this policy, request by request").type("POLICY");
  options
      .add("--clients", asked.clients,
           "what a denied client does: gives-up, immediate[:TRIES], fixed:WAIT[:TRIES], "
           "backoff:WAIT[:TRIES], retry-after[:TRIES]")
      .shows_default()
      .type("MODEL");
  options.add("--seed", asked.seed, "of the random waits of --clients backoff")
      .shows_default()
      .type("N");
  options
      .add("--fail-if", asked.fail_if,
           "exit 1 when this is so, e.g. 'hurt_keys>0.1%'; may be repeated")
      .one_value_each()
      .type("CONDITION");
  options.add("--top", asked.top, "name so many keys")
      .between(0, 100'000)
      .shows_default()
      .type("N");
  options.add("--html", asked.html, "write a report with plots to FILE").type("FILE");
  options.add("--format", asked.format, "text or json").one_of({"text", "json"}).shows_default();
}

bool ReplayJob::counts_by_query() const {
  return tells_by_query(outcome_.policy) || (outcome_.other && tells_by_query(*outcome_.other));
}

int ReplayJob::run(const std::function<std::optional<int>(ReplayJob&)>& fill) {
  if (const auto exit = check_options()) return *exit;
  if (const auto exit = open(asked_.policy, outcome_.policy)) return *exit;
  if (!asked_.vs.empty()) {
    outcome_.other.emplace();
    if (const auto exit = open(asked_.vs, *outcome_.other)) return *exit;
  }
  if (const auto exit = fill(*this)) return *exit;
  replay_policy();
  if (!asked_.algorithms.empty()) replay_algorithms();
  describe_requests();
  progress_.clear();
  return report();
}

std::optional<int> ReplayJob::check_options() {
  if (!asked_.algorithms.empty() && asked_.algorithms != "all") {
    return options_.usage_error("--algorithms takes the word `all`");
  }
  const auto model = traffic::parse_client_model(asked_.clients);
  if (!model) return options_.usage_error("--clients: " + model.error().text());
  model_ = *model;
  outcome_.clients = asked_.clients;
  outcome_.closed_loop = model_.retry != traffic::Retry::give_up;
  outcome_.top = static_cast<std::size_t>(asked_.top);
  if (outcome_.closed_loop && !asked_.vs.empty()) {
    return options_.usage_error(
        "--vs compares verdicts request by request, and clients that retry send others to each "
        "policy: use it without --clients");
  }
  for (const std::string& text : asked_.fail_if) {
    auto parsed = Expectation::parse(text);
    if (!parsed) return options_.usage_error(parsed.error().text());
    if (parsed->needs_other() && asked_.vs.empty()) {
      return options_.usage_error("--fail-if '" + text + "' compares two policies: give --vs");
    }
    fail_if_.push_back(std::move(*parsed));
  }
  return std::nullopt;
}

std::optional<int> ReplayJob::open(const std::string& file, PolicyRun& run) {
  auto opened = decide::Engine::open(file);
  if (!opened.engine) {
    print_findings(opened.findings);
    return exit_for_unloadable(file);
  }
  run.file = file;
  run.engine = std::move(opened.engine);
  run.snapshot = run.engine->snapshot();
  return std::nullopt;
}

void ReplayJob::prepare(PolicyRun& run) const {
  run.keys = std::make_unique<traffic::Keys>(*run.snapshot, outcome_.logs.events);
  run.tally = std::make_unique<traffic::Tally>(*run.snapshot, *run.keys, outcome_.logs.events);
}

void ReplayJob::replay_policy() {
  prepare(outcome_.policy);
  if (!outcome_.other) return replay_alone(outcome_.policy, outcome_.policy.file);
  prepare(*outcome_.other);
  const traffic::Events& events = outcome_.logs.events;
  traffic::Replay first(*outcome_.policy.engine, events);
  traffic::Replay second(*outcome_.other->engine, events);
  outcome_.comparison =
      std::make_unique<traffic::Comparison>(*outcome_.policy.snapshot, *outcome_.policy.keys);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const traffic::Event event = events.at(i);
    const decide::Decision& a = first.decide(i);
    const decide::Decision& b = second.decide(i);
    outcome_.policy.tally->add(event, a);
    outcome_.other->tally->add(event, b);
    outcome_.comparison->add(event, a, b);
    show(i, outcome_.policy.file);
  }
}

void ReplayJob::replay_alone(PolicyRun& run, const std::string& what) {
  traffic::Replay replay(*run.engine, outcome_.logs.events);
  traffic::ClosedLoop loop(replay, model_, asked_.seed);
  std::size_t done = 0;
  loop.run([&](const traffic::Event& event, const decide::Decision& decision) {
    run.tally->add(event, decision);
    show(done++, what);
  });
  run.loop = loop.counts();
}

void ReplayJob::replay_algorithms() {
  for (const Algorithm algorithm : traffic::kAlgorithms) {
    AlgorithmRun& a = outcome_.algorithms.emplace_back();
    a.algorithm = algorithm;
    policy::Loaded loaded = policy::load_file(asked_.policy);
    if (!loaded.policy) {
      a.why_not = "the policy has changed meanwhile and does not load";
      continue;
    }
    if (auto done = traffic::use_algorithm(*loaded.policy, algorithm); !done) {
      a.why_not = done.error().text();
      continue;
    }
    auto opened = decide::Engine::open_policy(std::move(loaded));
    if (!opened.engine) {
      a.why_not = opened.findings.empty() ? "it does not load" : opened.findings.back().text();
      continue;
    }
    a.run.emplace();
    a.run->file = asked_.policy;
    a.run->engine = std::move(opened.engine);
    a.run->snapshot = a.run->engine->snapshot();
    prepare(*a.run);
    replay_alone(*a.run, std::string(weir::name(algorithm)));
  }
}

void ReplayJob::describe_requests() {
  const traffic::Events& events = outcome_.logs.events;
  outcome_.profile = traffic::profile(events, *outcome_.policy.keys);
  outcome_.routes =
      traffic::find_routes(events, outcome_.profile.found, outcome_.policy.tally->requests());
}

int ReplayJob::report() {
  note_stand_in(*outcome_.policy.snapshot->policy);
  if (!asked_.html.empty()) {
    const int exit = write_output(asked_.html, replay_html(outcome_));
    if (exit != kDone) return exit;
  }
  std::cout << (asked_.format == "json" ? replay_json(outcome_) : replay_text(outcome_));
  int exit = kDone;
  for (const Expectation& e : fail_if_) {
    std::string seen;
    if (!e.holds(outcome_, seen)) continue;
    std::cerr << "weir: failed: " << e.text << ": it is " << seen << "\n";
    exit = kNo;
  }
  return exit;
}

void ReplayJob::show(std::size_t done, const std::string& what) {
  if (done % (1 << 18) != 0 || done == 0) return;
  progress_.show("replaying " + what + ": " + design::count_text(done) + " requests (" +
                 share_text(done, outcome_.logs.events.size()) + ")");
}

}  // namespace weir::cli
