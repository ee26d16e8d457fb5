#include "serve/findings_log.h"

#include <algorithm>
#include <string>
#include <utility>

#include "design/lint/lint.h"
#include "host/log.h"
#include "policy/files.h"

namespace weir::serve {

namespace {

using host::LogLevel;

constexpr std::size_t kMostLines = 50;
constexpr std::size_t kMostText = std::size_t{16} << 20;  // more than the loader reads

LogLevel level_of(policy::Severity severity) {
  switch (severity) {
    case policy::Severity::error:
      return LogLevel::error;
    case policy::Severity::warning:
      return LogLevel::warning;
    case policy::Severity::info:
      return LogLevel::info;
  }
  return LogLevel::info;
}

void log_all(const policy::Findings& findings) {
  for (std::size_t i = 0; i < std::min(findings.size(), kMostLines); ++i) {
    const policy::Finding& f = findings[i];
    if (f.code.empty()) {
      host::log(level_of(f.severity), "policy finding", {{"finding", f.text()}});
    } else {
      host::log(level_of(f.severity), "policy finding", {{"code", f.code}, {"finding", f.text()}});
    }
  }
  if (findings.size() <= kMostLines) return;
  host::log(LogLevel::warning, "more policy findings, see weir lint",
            {{"count", findings.size() - kMostLines}});
}

}  // namespace

void FindingsLog::refused(const policy::Findings& findings) { log_all(findings); }

void FindingsLog::adopted(const policy::Findings& findings) { log_new(findings, adopted_); }

void FindingsLog::linted(const policy::Findings& findings) { log_new(findings, linted_); }

void FindingsLog::log_new(const policy::Findings& findings, Lines& known) {
  Lines lines;
  policy::Findings news;
  for (const policy::Finding& finding : findings) {
    lines.push_back(finding.text());
    if (std::find(known.begin(), known.end(), lines.back()) == known.end()) news.push_back(finding);
  }
  log_all(news);
  known = std::move(lines);
}

policy::Findings lint_findings(const decide::Engine& engine, const policy::Findings& loaded,
                               Instant now) {
  const auto snapshot = engine.snapshot();
  // Only for the columns of findings: where it cannot be read, or was just replaced, they are less
  // exact.
  const Result<std::string> text = policy::read_file(snapshot->policy->file, kMostText);
  policy::Findings found = design::lint::run(*snapshot, text ? *text : "", now, loaded);
  std::erase_if(found,
                [](const policy::Finding& f) { return f.severity == policy::Severity::info; });
  return found;
}

}  // namespace weir::serve
