// What `weir replay` and `weir simulate` share: a policy asked with requests in order of time, and
// the reports.
//
//   ReplayAsked asked;
//   add_report_options(options, asked);
//   return ReplayJob(options, asked).run([&](ReplayJob& job) { return read(job.outcome()); });
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/expectation.h"
#include "cli/options.h"
#include "cli/progress_line.h"
#include "cli/replay_outcome.h"

namespace weir::cli {

struct ReplayAsked {
  std::string policy;
  std::string algorithms;
  std::string vs;
  std::string clients = "gives-up";
  std::uint64_t seed = 1;
  std::vector<std::string> fail_if;
  std::uint64_t top = 10;
  std::string html;
  std::string format = "text";
};

// Of what is asked of the requests, and how it is told.
void add_report_options(Options& options, ReplayAsked& asked);

class ReplayJob {
 public:
  ReplayJob(const Options& options, const ReplayAsked& asked) : options_(options), asked_(asked) {}

  // `fill` puts the requests into outcome().logs, or says with which code to exit.
  int run(const std::function<std::optional<int>(ReplayJob&)>& fill);

  ReplayOutcome& outcome() { return outcome_; }
  ProgressLine& progress() { return progress_; }
  // Whether one of the policies tells callers by the query string.
  bool counts_by_query() const;

 private:
  std::optional<int> check_options();
  static std::optional<int> open(const std::string& file, PolicyRun& run);
  void prepare(PolicyRun& run) const;
  void replay_policy();
  void replay_alone(PolicyRun& run, const std::string& what);
  void replay_algorithms();
  void describe_requests();
  int report();
  void show(std::size_t done, const std::string& what);

  const Options& options_;
  const ReplayAsked& asked_;
  traffic::ClientModel model_;
  std::vector<Expectation> fail_if_;
  ReplayOutcome outcome_;
  ProgressLine progress_;
};

}  // namespace weir::cli
