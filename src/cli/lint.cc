// `weir lint`: what the loader refuses, and what a policy that loads may still do wrong.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <tuple>

#include "cli/files.h"
#include "cli/options.h"
#include "cli/report.h"
#include "decide/engine.h"
#include "design/lint/catalogue.h"
#include "design/lint/lint.h"
#include "policy/loader.h"
#include "weir/clock.h"

namespace weir::cli {
namespace {

struct LintRun {
  policy::Findings findings;
  Sources sources;
  policy::Findings unreadable;  // one a file
};

void lint_one(const std::string& file, Instant now, LintRun& run) {
  auto text = read_file(file);
  if (!text) {
    std::cerr << "weir lint: " << text.error().text() << "\n";
    run.unreadable.push_back({policy::Severity::error, "", file, {}, text.error().message, ""});
    return;
  }
  auto opened = decide::Engine::open(file);
  run.sources.emplace(file, std::move(*text));
  policy::Findings found = std::move(opened.findings);
  if (opened.engine) {
    policy::Findings more =
        design::lint::run(*opened.engine->snapshot(), run.sources[file], now, found);
    std::move(more.begin(), more.end(), std::back_inserter(found));
  }
  std::stable_sort(
      found.begin(), found.end(), [](const policy::Finding& a, const policy::Finding& b) {
        return std::tie(a.file, a.at.line, a.at.column) < std::tie(b.file, b.at.line, b.at.column);
      });
  for (policy::Finding& f : found) {
    if (run.sources.count(f.file) == 0 && !f.file.empty()) {
      if (auto other = read_file(f.file)) run.sources.emplace(f.file, std::move(*other));
    }
    run.findings.push_back(std::move(f));
  }
}

int explain_code(const Options& options, const std::string& code) {
  if (const design::lint::Rule* rule = design::lint::find(code)) {
    std::cout << design::lint::page(*rule);
    return kDone;
  }
  std::vector<std::string> codes;
  for (const design::lint::Rule& rule : design::lint::catalogue()) codes.emplace_back(rule.code);
  const std::string_view near = policy::nearest(code, codes);
  return options.usage_error("unknown code `" + code + "`" +
                             (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?"));
}

void print_text(const LintRun& run, std::size_t files) {
  std::cout << findings_text(run.findings, run.sources, Colours::of(STDOUT_FILENO));
  const Counts n = count(run.findings);
  const auto some = [](std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  if (!run.findings.empty()) std::cout << "\n";
  std::cout << some(files, "file") << ": " << some(n.errors, "error") << ", "
            << some(n.warnings, "warning") << ", " << n.infos << " info\n";
  const bool codes = std::any_of(run.findings.begin(), run.findings.end(),
                                 [](const policy::Finding& f) { return !f.code.empty(); });
  if (codes) std::cout << "`weir lint --explain CODE` says why and what to do\n";
}

}  // namespace

int run_lint(const Arguments& args) {
  Options options("lint", "Find what is wrong with a policy, without any traffic.",
                  {"weir lint examples/plans.yaml", "weir lint --explain WR120"});
  std::vector<std::string> files;
  std::string format = "text";
  std::string code;
  bool strict = false;
  bool catalogue = false;
  options.add("POLICY", files, "policy files");
  options.add("--format", format, "text, json, sarif or github")
      .one_of({"text", "json", "sarif", "github"})
      .shows_default()
      .type("FORMAT");
  options.add("--explain", code, "print the page of one code").type("CODE");
  options.add_flag("--strict", strict, "exit 1 for a warning too");
  options.add_flag("--catalogue", catalogue, "print all codes as Markdown");
  if (const auto exit = options.parse(args)) return *exit;
  if (catalogue) return write_output("", design::lint::catalogue_markdown());
  if (!code.empty()) return explain_code(options, code);
  if (files.empty()) return options.usage_error("which policy? `weir lint POLICY...`");

  LintRun run;
  const Instant now = SystemClock().now().wall();
  for (const std::string& file : files) lint_one(file, now, run);
  const std::size_t read = files.size() - run.unreadable.size();
  if (format == "text" && read > 0) print_text(run, read);
  // Programs read one stream alone: there the files that could not be read are findings.
  run.findings.insert(run.findings.end(), run.unreadable.begin(), run.unreadable.end());
  if (format == "json") std::cout << findings_json(run.findings) << "\n";
  if (format == "sarif") std::cout << findings_sarif(run.findings) << "\n";
  if (format == "github") std::cout << findings_github(run.findings);
  if (!run.unreadable.empty()) return kCouldNotStart;
  const Counts n = count(run.findings);
  return n.errors > 0 || (strict && n.warnings > 0) ? kNo : kDone;
}

}  // namespace weir::cli
