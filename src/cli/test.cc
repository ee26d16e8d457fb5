// `weir test`: timelines of requests against what must be answered, on a virtual clock.
#include <boost/json.hpp>
#include <iostream>

#include "cli/options.h"
#include "cli/report.h"
#include "cli/timeline.h"

namespace weir::cli {
namespace {

namespace json = boost::json;

struct FileResult {
  std::string file;
  policy::Findings findings;
  TimelineResult result;
  bool unreadable = false;

  bool passed() const { return count(findings).errors == 0 && result.mismatches.empty(); }
};

FileResult play(const std::string& file) {
  FileResult r;
  r.file = file;
  LoadedTimeline loaded = load_timeline(file);
  r.findings = std::move(loaded.findings);
  r.unreadable = loaded.unreadable;
  if (!loaded.timeline) return r;
  r.result = run_timeline(*loaded.timeline);
  r.findings = r.result.findings;
  return r;
}

void print_text(const FileResult& r) {
  if (r.passed()) {
    std::cout << "ok   " << r.file << " (" << r.result.steps << " steps, " << r.result.requests
              << " requests)\n";
    return;
  }
  std::cout << "FAIL " << r.file << "\n" << std::flush;
  print_findings(r.findings);
  for (const Mismatch& m : r.result.mismatches) {
    std::cout << "  " << r.file << ":" << m.at.line << ":" << m.at.column << ": step " << m.step
              << ": " << m.what << ": expected " << m.expected << ", got " << m.got << "\n";
  }
}

json::object to_json(const FileResult& r) {
  json::array mismatches;
  for (const Mismatch& m : r.result.mismatches) {
    mismatches.push_back({{"step", m.step},
                          {"line", m.at.line},
                          {"column", m.at.column},
                          {"what", m.what},
                          {"expected", m.expected},
                          {"got", m.got}});
  }
  json::array findings;
  for (const policy::Finding& f : r.findings) findings.push_back(json::string(f.text()));
  return {{"file", r.file},
          {"passed", r.passed()},
          {"steps", r.result.steps},
          {"requests", r.result.requests},
          {"findings", std::move(findings)},
          {"mismatches", std::move(mismatches)}};
}

}  // namespace

int run_test(const Arguments& args) {
  Options options("test", "Play timelines of requests and compare what is answered.",
                  {"weir test examples/timelines/e2-token-bucket.yaml"});
  std::vector<std::string> files;
  std::string format = "text";
  options.add("TIMELINE", files, "timeline files").required();
  options.add("--format", format, "text or json")
      .one_of({"text", "json"})
      .shows_default()
      .type("FORMAT");
  if (const auto exit = options.parse(args)) return *exit;

  bool passed = true;
  bool unreadable = false;
  json::array all;
  for (const std::string& file : files) {
    const FileResult r = play(file);
    passed = passed && r.passed();
    unreadable = unreadable || r.unreadable;
    if (format == "text") print_text(r);
    if (format == "json") all.push_back(to_json(r));
  }
  if (format == "json") {
    std::cout << json::serialize(json::object{{"passed", passed}, {"timelines", std::move(all)}})
              << "\n";
  }
  if (unreadable) return kCouldNotStart;
  return passed ? kDone : kNo;
}

}  // namespace weir::cli
