// `weir simulate`: what a policy does with synthetic traffic, or against a threat.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/json_writer.h"
#include "cli/files.h"
#include "cli/replay_job.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/shapes.h"
#include "cli/table.h"
#include "design/text.h"
#include "traffic/log_writer.h"
#include "traffic/synthetic.h"
#include "traffic/threats.h"

namespace weir::cli {
namespace {

struct Asked {
  ShapesAsked traffic{{}, "10m"};
  std::string threat;
  std::string out;
  std::string out_format = "combined";
};

class Simulation {
 public:
  Simulation(const Options& options, const Asked& asked, std::uint64_t seed)
      : options_(options), asked_(asked), seed_(seed) {}

  std::optional<int> check() {
    const auto format = traffic::parse_log_format(asked_.out_format);
    if (!format) return options_.usage_error("--out-format: " + format.error().text());
    format_ = *format;
    auto shapes = parse_shapes(asked_.traffic);
    if (!shapes) return options_.usage_error(shapes.error().text());
    shapes_ = std::move(*shapes);
    return std::nullopt;
  }

  std::optional<int> fill(ReplayJob& job) {
    traffic::ReadLogs& logs = job.outcome().logs;
    logs.events = traffic::generate(shapes_.parts, shapes_.duration, seed_);
    const traffic::Events& events = logs.events;
    if (events.empty()) {
      return options_.usage_error("no request came: use a higher rate or a longer --duration");
    }
    logs.report.format = "synthetic traffic";
    logs.report.lines = logs.report.requests = events.size();
    logs.report.first_ns = events.at(0).start_ns;
    logs.report.last_ns = events.at(events.size() - 1).start_ns;
    logs.report.resolution_ns = 1;
    for (std::size_t i = 0; i < events.size(); ++i) {
      logs.report.limited += events.at(i).limited ? 1 : 0;
    }
    return asked_.out.empty() ? std::nullopt : write_log(events);
  }

 private:
  // A million lines are a hundred megabytes: in pieces.
  std::optional<int> write_log(const traffic::Events& events) {
    std::FILE* file = std::fopen(asked_.out.c_str(), "we");
    bool good = file != nullptr;
    std::string lines;
    for (std::size_t i = 0; good && i < events.size(); ++i) {
      traffic::append_line(lines, format_, events, i);
      if (lines.size() < 1 << 20 && i + 1 < events.size()) continue;
      good = std::fwrite(lines.data(), 1, lines.size(), file) == lines.size();
      lines.clear();
    }
    int error = errno;
    if (file != nullptr && std::fclose(file) != 0 && good) {
      good = false;
      error = errno;
    }
    if (good) return std::nullopt;
    return options_.usage_error("--out: " + asked_.out +
                                " cannot be written: " + std::strerror(error));
  }

  const Options& options_;
  const Asked& asked_;
  const std::uint64_t seed_;
  traffic::LogFormat format_ = traffic::LogFormat::combined;
  Shapes shapes_;
};

struct Tried {
  const traffic::Threat* threat;
  traffic::Experiment experiment;
};

std::string threats_text(const std::string& policy, const std::vector<Tried>& all) {
  Table table({"threat", "goodput without", "with " + policy, "harm let through"});
  for (const Tried& t : all) {
    const traffic::Goodput& without = t.experiment.without;
    const traffic::Goodput& with = t.experiment.with;
    table.add({std::string(t.threat->name), share_text(without.good, without.offered),
               share_text(with.good, with.offered),
               with.harm_offered == 0 ? "-" : share_text(with.harm_passed, with.harm_offered)});
  }
  std::string text =
      "Requests of clients who do no harm, answered within a second by a server of "
      "200 a second:\n\n" +
      table.text() + "\n";
  for (const Tried& t : all) {
    text += std::string(t.threat->name) + ": " + std::string(t.threat->what) + "\n";
  }
  for (const Tried& t : all) {
    if (t.threat->backend.front.ns == 0) continue;
    text +=
        "\nA flood that the gate itself cannot read is not absorbed by any limit of an "
        "application: that is\nfor the network in front of it (the provider, a CDN, XDP).\n";
  }
  return text;
}

std::string threats_json(const std::string& policy, const std::vector<Tried>& all) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("policy", policy);
  json.key("threats");
  json.begin_array();
  for (const Tried& t : all) {
    json.begin_object();
    json.member("name", t.threat->name);
    json.member("what", t.threat->what);
    for (const bool with : {false, true}) {
      const traffic::Goodput& g = with ? t.experiment.with : t.experiment.without;
      json.key(with ? "with" : "without");
      json.begin_object();
      json.member("offered", g.offered);
      json.member("good", g.good);
      json.member("harm_offered", g.harm_offered);
      json.member("harm_passed", g.harm_passed);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
  out += '\n';
  return out;
}

int run_threats(const Options& options, const Asked& asked, const ReplayAsked& report) {
  std::vector<const traffic::Threat*> threats;
  if (asked.threat == "all") {
    for (const traffic::Threat& threat : traffic::all_threats()) threats.push_back(&threat);
  } else {
    const auto found = traffic::find_threat(asked.threat);
    if (!found) return options.usage_error("--threat: " + found.error().text());
    threats.push_back(*found);
  }
  std::vector<Tried> tried;
  for (const traffic::Threat* threat : threats) {
    // Each threat meets a policy that has seen no request.
    auto opened = decide::Engine::open(report.policy);
    if (!opened.engine) {
      print_findings(opened.findings);
      return exit_for_unloadable(report.policy);
    }
    tried.push_back({threat, traffic::try_threat(*threat, *opened.engine, report.seed)});
  }
  std::cout << (report.format == "json" ? threats_json(report.policy, tried)
                                        : threats_text(report.policy, tried));
  return kDone;
}

}  // namespace

int run_simulate(const Arguments& args) {
  Options options("simulate",
                  "Say what a policy does with synthetic traffic, or how it holds against a "
                  "threat: nothing is sent anywhere.",
                  {"weir simulate examples/threats.yaml --shape flash-crowd:50:200",
                   "weir simulate examples/threats.yaml --threat all"});
  Asked asked;
  ReplayAsked report;
  options.add("POLICY", report.policy, "policy file").required();
  add_shape_options(options, asked.traffic);
  const Option threat =
      options
          .add("--threat", asked.threat,
               "what becomes of the others without the policy and with it: all, or "
               "misbehaving-client, retry-storm, expensive-endpoint, scraping, "
               "credential-stuffing, batch-jobs, paid-downstream, volumetric-flood")
          .type("THREAT");
  options.add("--out", asked.out, "write the requests to FILE as an access log").type("FILE");
  options.add("--out-format", asked.out_format, "common, combined or json")
      .shows_default()
      .type("FORMAT");
  add_report_options(options, report);
  if (const auto exit = options.parse(args)) return *exit;
  if (threat.given()) {
    if (!asked.traffic.shapes.empty() || !asked.out.empty() || !report.html.empty() ||
        !report.algorithms.empty() || !report.vs.empty() || !report.fail_if.empty() ||
        report.clients != ReplayAsked{}.clients) {
      return options.usage_error(
          "--threat has traffic, clients and a report of its own: leave --shape, --out, --html, "
          "--algorithms, --vs, --clients and --fail-if out");
    }
    return run_threats(options, asked, report);
  }
  Simulation simulation(options, asked, report.seed);
  if (const auto exit = simulation.check()) return *exit;
  return ReplayJob(options, report).run([&](ReplayJob& job) { return simulation.fill(job); });
}

}  // namespace weir::cli
