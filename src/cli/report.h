// How findings are shown: text with the source line and a caret, JSON, SARIF 2.1.0, or GitHub
// workflow commands.
#pragma once

#include <map>
#include <string>

#include "policy/position.h"

namespace weir::cli {

// Source texts by file name, for carets.
using Sources = std::map<std::string, std::string>;

// Escape sequences for a terminal; empty strings where colour is off.
struct Colours {
  std::string error, warning, info, bold, reset;

  // On where `fd` is a terminal, and NO_COLOR is unset or empty.
  static Colours of(int fd);
};

std::string findings_text(const policy::Findings& findings, const Sources& sources,
                          const Colours& colours);
// {"findings": [{severity, code, file, line, column, message, help}], "errors": n, "warnings": n}
std::string findings_json(const policy::Findings& findings);
std::string findings_sarif(const policy::Findings& findings);
// ::error file=...,line=...,col=...,title=WR101::message
std::string findings_github(const policy::Findings& findings);

struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
};
Counts count(const policy::Findings& findings);

// Prints the findings on stderr with carets read from their files.
void print_findings(const policy::Findings& findings);

}  // namespace weir::cli
