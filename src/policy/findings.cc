// Findings: kept, sorted and shown.
#include "policy/findings.h"

#include <algorithm>
#include <utility>

#include "policy/unicode.h"
#include "policy/without_secrets.h"
#include "policy/words.h"

namespace weir::policy {

namespace {

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

// One character a code point, so that the caret stays below its column: a control character, which
// a terminal would obey, and a byte that is not UTF-8 are shown as U+FFFD.
std::string shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const std::size_t size = std::max<std::size_t>(point.size, 1);
    const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
    const bool plain = point.size != 0 && (!control || text[0] == '\t');
    out += plain ? text.substr(0, size) : "\xef\xbf\xbd";
    text.remove_prefix(size);
    while (point.size == 0 && !text.empty() && continues(text[0])) text.remove_prefix(1);
  }
  return out;
}

constexpr std::size_t kExcerptBefore = 60;  // bytes of a long line before the caret, and after it
constexpr std::size_t kExcerptAfter = 120;

// Where the excerpt of a line begins and ends, never within a code point.
std::pair<std::size_t, std::size_t> excerpt(std::string_view line, std::size_t caret) {
  if (line.size() <= kExcerptBefore + kExcerptAfter) return {0, line.size()};
  std::size_t begin = caret - std::min(caret, kExcerptBefore);
  std::size_t end = std::min(line.size(), caret + kExcerptAfter);
  while (begin < caret && continues(line[begin])) ++begin;
  while (end < line.size() && continues(line[end])) ++end;
  return {begin, end};
}

}  // namespace

std::string Finding::text() const {
  std::string out = file;
  if (at.line != 0) out += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  out += ": ";
  out += name(severity);
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

void Report::unreadable(Position at, const Error& why, std::string help) {
  add({Severity::error, "", file_, at, why.message, std::move(help),
       why.code == ErrorCode::unavailable});
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
  const std::string line = without_secrets(line_of(source, finding.at.line));
  if (line.empty()) return out;
  const std::size_t offset = offset_of(line, finding.at.column);
  std::string number = std::to_string(finding.at.line);
  if (number.size() < 4) number.insert(0, 4 - number.size(), ' ');
  const auto [begin, end] = excerpt(line, offset);
  const std::string_view cut_before = begin > 0 ? "..." : "";
  const std::string before =
      std::string(cut_before) + shown(std::string_view(line).substr(begin, offset - begin));
  out += number + " | " + before + shown(std::string_view(line).substr(offset, end - offset));
  out += end < line.size() ? "...\n" : "\n";
  out += std::string(number.size(), ' ') + " | ";
  // Tabs are kept, so that the caret stands below its column however wide they are shown.
  for (const char c : before) {
    if (!continues(c)) out += c == '\t' ? '\t' : ' ';
  }
  out += '^';
  const std::string_view rest = std::string_view(line).substr(offset);
  const std::string_view about = rest.substr(0, width_at(rest));
  const std::string marked = shown(about.substr(0, end - offset));
  const auto points =
      std::count_if(marked.begin(), marked.end(), [](char c) { return !continues(c); });
  if (points > 1) out.append(static_cast<std::size_t>(points - 1), '~');
  return out + "\n";
}

}  // namespace weir::policy
