// `weir replay`: what a policy would have done with the requests of a log.
#include <unistd.h>

#include <iostream>

#include "cli/expectation.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/replay_outcome.h"
#include "cli/report.h"
#include "cli/session.h"
#include "design/text.h"
#include "policy/loader.h"
#include "traffic/alternatives.h"

namespace weir::cli {
namespace {

struct Asked {
  std::string policy;
  std::vector<std::string> logs;
  std::string log_format = "auto";
  std::string fields;
  std::string memory = "1500M";
  std::string algorithms;
  std::string vs;
  std::string clients = "gives-up";
  std::uint64_t seed = 1;
  std::vector<std::string> fail_if;
  std::uint64_t top = 10;
  std::string html;
  std::string format = "text";
};

// One line on a terminal that is written over; nothing where stderr is none.
class ProgressLine {
 public:
  ~ProgressLine() { clear(); }
  void show(const std::string& text) {
    if (!terminal_) return;
    std::cerr << "\r\x1b[K" << text << std::flush;
    shown_ = true;
  }
  void clear() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
    shown_ = false;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
};

// "1500M", "2G": bytes, by 1,024.
Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t unit = 1;
  std::string digits = text;
  if (!digits.empty()) {
    const std::size_t power = std::string_view("kMG").find(digits.back());
    if (power != std::string_view::npos) {
      unit = std::uint64_t{1} << (10 * (power + 1));
      digits.pop_back();
    }
  }
  const bool number = !digits.empty() && digits.size() <= 12 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number) {
    return Error{ErrorCode::invalid_argument,
                 "'" + text + "' is no amount of memory: write it as 1500M or 2G", "--memory"};
  }
  return std::stoull(digits) * unit;
}

class Runner {
 public:
  Runner(const Options& options, const Asked& asked) : options_(options), asked_(asked) {}

  int run() {
    if (const auto exit = check_options()) return *exit;
    if (const auto exit = open(asked_.policy, outcome_.policy)) return *exit;
    if (!asked_.vs.empty()) {
      outcome_.other.emplace();
      if (const auto exit = open(asked_.vs, *outcome_.other)) return *exit;
    }
    if (const auto exit = read()) return *exit;
    replay_policy();
    if (!asked_.algorithms.empty()) replay_algorithms();
    progress_.clear();
    return report();
  }

 private:
  std::optional<int> check_options() {
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

  std::optional<int> open(const std::string& file, PolicyRun& run) {
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

  std::optional<int> read() {
    traffic::ReadOptions options;
    options.format = asked_.log_format;
    options.field_map = asked_.fields;
    const auto memory = parse_bytes(asked_.memory);
    if (!memory) return options_.usage_error(memory.error().text());
    options.memory_bytes = *memory;
    options.keep_query =
        counts_by_query(outcome_.policy) || (outcome_.other && counts_by_query(*outcome_.other));
    options.progress = [this](const traffic::Progress& p) { show_reading(p); };
    auto read = traffic::read_logs(asked_.logs, options);
    progress_.clear();
    if (!read) return options_.usage_error(read.error().text());
    outcome_.logs = std::move(*read);
    if (outcome_.logs.events.empty()) return no_request();
    return std::nullopt;
  }

  int no_request() {
    const traffic::ReadReport& report = outcome_.logs.report;
    if (report.rejected > 0) std::cerr << rejections_text(report);
    return options_.usage_error("there is no request in " + asked_.logs.front() +
                                (asked_.logs.size() > 1 ? " and the others" : "") + " (" +
                                design::count_text(report.lines) + " lines of " + report.format +
                                ")");
  }

  static bool counts_by_query(const PolicyRun& run) {
    for (const policy::IdentityKey& key : run.snapshot->policy->identity.keys) {
      if (key.source == policy::Source::query) return true;
    }
    return false;
  }

  void prepare(PolicyRun& run) const {
    const traffic::ReadReport& log = outcome_.logs.report;
    run.keys = std::make_unique<traffic::Keys>(*run.snapshot, outcome_.logs.events);
    run.tally =
        std::make_unique<traffic::Tally>(*run.snapshot, *run.keys, log.first_ns, log.last_ns);
  }

  void replay_policy() {
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
      show_replaying(i, outcome_.policy.file);
    }
  }

  void replay_alone(PolicyRun& run, const std::string& what) {
    traffic::Replay replay(*run.engine, outcome_.logs.events);
    traffic::ClosedLoop loop(replay, model_, asked_.seed);
    std::size_t done = 0;
    loop.run([&](const traffic::Event& event, const decide::Decision& decision) {
      run.tally->add(event, decision);
      show_replaying(done++, what);
    });
    run.loop = loop.counts();
  }

  void replay_algorithms() {
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

  int report() {
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
      std::cerr << "weir replay: failed: " << e.text << ": it is " << seen << "\n";
      exit = kNo;
    }
    return exit;
  }

  void show_reading(const traffic::Progress& p) {
    std::string text = "reading: " + design::count_text(p.lines) + " lines";
    if (p.total_bytes > 0) text += " (" + share_text(p.bytes, p.total_bytes) + ")";
    progress_.show(text);
  }
  void show_replaying(std::size_t done, const std::string& what) {
    if (done % (1 << 18) != 0 || done == 0) return;
    progress_.show("replaying " + what + ": " + design::count_text(done) + " requests (" +
                   share_text(done, outcome_.logs.events.size()) + ")");
  }

  const Options& options_;
  const Asked& asked_;
  traffic::ClientModel model_;
  std::vector<Expectation> fail_if_;
  ReplayOutcome outcome_;
  ProgressLine progress_;
};

}  // namespace

int run_replay(const Arguments& args) {
  Options options("replay",
                  "Say what a policy would have done with the requests of access logs: whom it "
                  "would have denied, when, and by which limit.",
                  {"weir replay examples/plans.yaml /usr/share/logstalgia/example.log"});
  Asked asked;
  options.add("POLICY", asked.policy, "policy file").required();
  options
      .add("LOG", asked.logs,
           "access logs, gzip and zstd too: files, patterns ('logs/access*.gz'), or - for standard "
           "input")
      .required();
  options
      .add("--log-format", asked.log_format,
           "a format's name (docs/log-formats.md), an nginx log_format or an Apache LogFormat")
      .shows_default()
      .type("FORMAT");
  options
      .add("--fields", asked.fields,
           "where JSON lines or a CSV have what is read, e.g. time=ts,client=ip,target=url")
      .type("MAP");
  options.add("--memory", asked.memory, "the most that the requests may take in memory")
      .shows_default()
      .type("SIZE");
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
  if (const auto exit = options.parse(args)) return *exit;
  return Runner(options, asked).run();
}

}  // namespace weir::cli
