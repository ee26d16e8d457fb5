#include "cli/report.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>

#include "cli/files.h"
#include "cli/version.h"
#include "design/lint/catalogue.h"
#include "policy/findings.h"
#include "policy/words.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using policy::Finding;
using policy::Severity;

const std::string& colour_of(Severity severity, const Colours& colours) {
  switch (severity) {
    case Severity::error:
      return colours.error;
    case Severity::warning:
      return colours.warning;
    case Severity::info:
      break;
  }
  return colours.info;
}

std::string_view sarif_level(Severity severity) {
  return severity == Severity::info ? "note" : name(severity);
}

// GitHub ends a property at `,` and `:`, and a message at a newline.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n') {
      out += "%0A";
    } else if (c == '\r') {
      out += "%0D";
    } else if (property && c == ',') {
      out += "%2C";
    } else if (property && c == ':') {
      out += "%3A";
    } else {
      out += c;
    }
  }
  return out;
}

json::object sarif_rule(const design::lint::Rule& rule) {
  return {{"id", rule.code},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.why}}},
          {"help", {{"text", rule.help}}}};
}

json::object sarif_result(const Finding& f) {
  json::object region;
  if (f.at.line > 0) {
    region["startLine"] = f.at.line;
    if (f.at.column > 0) region["startColumn"] = f.at.column;
  }
  json::object location{{"artifactLocation", {{"uri", f.file}}}};
  if (!region.empty()) location["region"] = region;
  return {{"ruleId", f.code.empty() ? "policy" : f.code},
          {"level", sarif_level(f.severity)},
          {"message", {{"text", f.help.empty() ? f.message : f.message + "; " + f.help}}},
          {"locations", json::array{json::object{{"physicalLocation", location}}}}};
}

}  // namespace

Colours Colours::of(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");  // NOLINT: read before any thread starts
  if (::isatty(fd) == 0 || (no_colour != nullptr && *no_colour != '\0')) return {};
  return {"\033[31m", "\033[33m", "\033[36m", "\033[1m", "\033[0m"};
}

Counts count(const policy::Findings& findings) {
  Counts counts;
  for (const Finding& f : findings) {
    if (f.severity == Severity::error) ++counts.errors;
    if (f.severity == Severity::warning) ++counts.warnings;
    if (f.severity == Severity::info) ++counts.infos;
  }
  return counts;
}

std::string findings_text(const policy::Findings& findings, const Sources& sources,
                          const Colours& colours) {
  std::string text;
  for (const Finding& f : findings) {
    const auto source = sources.find(f.file);
    std::string one = source == sources.end() ? f.text() : policy::with_caret(f, source->second);
    if (one.empty() || one.back() != '\n') one += '\n';
    const std::string word(name(f.severity));
    const std::size_t at = colours.reset.empty() ? std::string::npos : one.find(": " + word);
    if (at != std::string::npos) {
      one.insert(at + 2 + word.size(), colours.reset);
      one.insert(at + 2, colour_of(f.severity, colours));
    }
    text += one;
  }
  return text;
}

std::string findings_json(const policy::Findings& findings) {
  json::array list;
  for (const Finding& f : findings) {
    list.push_back({{"severity", name(f.severity)},
                    {"code", f.code},
                    {"file", f.file},
                    {"line", f.at.line},
                    {"column", f.at.column},
                    {"message", f.message},
                    {"help", f.help}});
  }
  const Counts n = count(findings);
  return json::serialize(json::object{{"findings", std::move(list)},
                                      {"errors", n.errors},
                                      {"warnings", n.warnings},
                                      {"infos", n.infos}});
}

std::string findings_sarif(const policy::Findings& findings) {
  json::array rules;
  rules.push_back(
      json::object{{"id", "policy"}, {"shortDescription", {{"text", "the policy does not load"}}}});
  for (const design::lint::Rule& rule : design::lint::catalogue()) {
    rules.push_back(sarif_rule(rule));
  }
  json::array results;
  for (const Finding& f : findings) results.push_back(sarif_result(f));
  const json::object driver{
      {"name", "weir"}, {"semanticVersion", kVersion}, {"rules", std::move(rules)}};
  const json::object run{{"tool", {{"driver", driver}}}, {"results", std::move(results)}};
  return json::serialize(json::object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                      {"version", "2.1.0"},
                                      {"runs", json::array{run}}});
}

std::string findings_github(const policy::Findings& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += f.severity == Severity::info ? "::notice" : "::" + std::string(name(f.severity));
    text += " file=" + github_escaped(f.file, true);
    if (f.at.line > 0) text += ",line=" + std::to_string(f.at.line);
    if (f.at.column > 0) text += ",col=" + std::to_string(f.at.column);
    if (!f.code.empty()) text += ",title=" + f.code;
    const std::string message = f.help.empty() ? f.message : f.message + "; " + f.help;
    text += "::" + github_escaped(message, false) + "\n";
  }
  return text;
}

void print_findings(const policy::Findings& findings) {
  Sources sources;
  for (const Finding& f : findings) {
    if (f.file.empty() || sources.count(f.file) > 0) continue;
    if (auto text = read_file(f.file)) sources.emplace(f.file, std::move(*text));
  }
  std::cerr << findings_text(findings, sources, Colours::of(STDERR_FILENO));
}

}  // namespace weir::cli
