// `weir replay`: what a policy would have done with the requests of a log.
#include <iostream>

#include "cli/replay_job.h"
#include "cli/session.h"
#include "design/text.h"

namespace weir::cli {
namespace {

struct Asked {
  std::vector<std::string> logs;
  std::string log_format = "auto";
  std::string fields;
  std::string memory = "1500M";
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

int no_request(const Options& options, const Asked& asked, const traffic::ReadReport& report) {
  if (report.rejected > 0) std::cerr << rejections_text(report);
  return options.usage_error("there is no request in " + asked.logs.front() +
                             (asked.logs.size() > 1 ? " and the others" : "") + " (" +
                             design::count_text(report.lines) + " lines of " + report.format + ")");
}

void show_reading(ProgressLine& progress, const traffic::Progress& p) {
  std::string text = "reading: " + design::count_text(p.lines) + " lines";
  if (p.total_bytes > 0) text += " (" + share_text(p.bytes, p.total_bytes) + ")";
  progress.show(text);
}

std::optional<int> read(const Options& options, const Asked& asked, ReplayJob& job) {
  traffic::ReadOptions how;
  how.format = asked.log_format;
  how.field_map = asked.fields;
  const auto memory = parse_bytes(asked.memory);
  if (!memory) return options.usage_error(memory.error().text());
  how.memory_bytes = *memory;
  how.keep_query = job.counts_by_query();
  how.progress = [&](const traffic::Progress& p) { show_reading(job.progress(), p); };
  auto read = traffic::read_logs(asked.logs, how);
  job.progress().clear();
  if (!read) return options.usage_error(read.error().text());
  job.outcome().logs = std::move(*read);
  if (job.outcome().logs.events.empty()) {
    return no_request(options, asked, job.outcome().logs.report);
  }
  return std::nullopt;
}

}  // namespace

int run_replay(const Arguments& args) {
  Options options("replay",
                  "Say what a policy would have done with the requests of access logs: whom it "
                  "would have denied, when, and by which limit.",
                  {"weir replay examples/plans.yaml /usr/share/logstalgia/example.log"});
  Asked asked;
  ReplayAsked report;
  options.add("POLICY", report.policy, "policy file").required();
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
  add_report_options(options, report);
  if (const auto exit = options.parse(args)) return *exit;
  return ReplayJob(options, report).run([&](ReplayJob& job) { return read(options, asked, job); });
}

}  // namespace weir::cli
