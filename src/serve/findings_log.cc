#include "serve/findings_log.h"

#include <algorithm>
#include <string>

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

}  // namespace

void log_findings(const policy::Findings& findings) {
  for (std::size_t i = 0; i < std::min(findings.size(), kMostLines); ++i) {
    host::log(level_of(findings[i].severity), "policy finding",
              {{"code", findings[i].code}, {"finding", findings[i].text()}});
  }
  if (findings.size() <= kMostLines) return;
  host::log(LogLevel::warning, "more policy findings, see weir lint",
            {{"count", findings.size() - kMostLines}});
}

void log_lint(const decide::Engine& engine, const policy::Findings& loaded, Instant now) {
  const auto snapshot = engine.snapshot();
  // Only for the columns of findings: where it cannot be read, or was just replaced, they are less
  // exact.
  const Result<std::string> text = policy::read_file(snapshot->policy->file, kMostText);
  policy::Findings found = design::lint::run(*snapshot, text ? *text : "", now, loaded);
  std::erase_if(found,
                [](const policy::Finding& f) { return f.severity == policy::Severity::info; });
  log_findings(found);
}

}  // namespace weir::serve
