// Findings: kept, sorted and shown.
#include "policy/findings.h"

#include <algorithm>
#include <utility>

namespace weir::policy {

namespace {

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::info:
      return "note";
  }
  return "error";
}

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  if (!source.empty() && source.back() == '\r') source.remove_suffix(1);
  return source;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The byte at which the column (counted in code points, from 1) begins.
std::size_t offset_of(std::string_view line, std::uint32_t column) {
  std::size_t at = 0;
  for (std::uint32_t c = 1; c < column && at < line.size(); ++c) {
    do ++at;
    while (at < line.size() && continues(line[at]));
  }
  return at;
}

// How much of the line the finding is about: a quoted text whole, else up to a separator.
std::size_t width_at(std::string_view rest) {
  if (rest.empty()) return 1;
  if (rest[0] == '"' || rest[0] == '\'') {
    const std::size_t close = rest.find(rest[0], 1);
    return close == std::string_view::npos ? 1 : close + 1;
  }
  const std::size_t end = rest.find_first_of(" \t,]}:#");
  return std::max<std::size_t>(1, std::min(end, rest.size()));
}

}  // namespace

std::string Finding::text() const {
  std::string out = file;
  if (at.line != 0) out += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  out += ": ";
  out += word(severity);
  out += ": " + message;
  if (!help.empty()) out += "; " + help;
  if (!code.empty()) out += " [" + code + "]";
  return out;
}

void Report::add(Finding finding) {
  if (finding.severity == Severity::error) ++errors_;
  if (findings_.size() >= kMaxFindings) {
    ++dropped_;
    return;
  }
  findings_.push_back(std::move(finding));
}

void Report::error(Position at, std::string message, std::string help, std::string code) {
  add({Severity::error, std::move(code), file_, at, std::move(message), std::move(help)});
}

void Report::warning(Position at, std::string message, std::string help, std::string code) {
  add({Severity::warning, std::move(code), file_, at, std::move(message), std::move(help)});
}

void Report::info(Position at, std::string message, std::string help, std::string code) {
  add({Severity::info, std::move(code), file_, at, std::move(message), std::move(help)});
}

Findings Report::take() {
  std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
  });
  if (dropped_ > 0) {
    findings_.push_back({Severity::error,
                         "",
                         file_,
                         {},
                         std::to_string(dropped_) + " more findings are not shown",
                         "mend these first"});
  }
  return std::move(findings_);
}

std::string with_caret(const Finding& finding, std::string_view source) {
  std::string out = finding.text() + "\n";
  if (finding.at.line == 0) return out;
  const std::string_view line = line_of(source, finding.at.line);
  if (line.empty()) return out;
  const std::size_t offset = offset_of(line, finding.at.column);
  std::string number = std::to_string(finding.at.line);
  if (number.size() < 4) number.insert(0, 4 - number.size(), ' ');
  out += number + " | " + std::string(line) + "\n" + std::string(number.size(), ' ') + " | ";
  // Tabs are kept, so that the caret stands below its column however wide they are shown.
  for (std::size_t i = 0; i < offset; ++i) {
    if (!continues(line[i])) out += line[i] == '\t' ? '\t' : ' ';
  }
  out += '^';
  const std::string_view about = line.substr(offset, width_at(line.substr(offset)));
  const auto points =
      std::count_if(about.begin(), about.end(), [](char c) { return !continues(c); });
  if (points > 1) out.append(static_cast<std::size_t>(points - 1), '~');
  return out + "\n";
}

}  // namespace weir::policy
