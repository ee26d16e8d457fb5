#include "policy/without_secrets.h"

#include <algorithm>
#include <cstddef>

namespace weir::policy {
namespace {

constexpr std::string_view kBlank = " \t";

void hide(std::string& line, std::size_t from, std::size_t to) {
  std::fill(line.begin() + static_cast<std::ptrdiff_t>(from),
            line.begin() + static_cast<std::ptrdiff_t>(to), '*');
}

// Where the text that begins at `from` ends: at the quote that it stands in, or before a blank.
std::size_t end_of_url(std::string_view line, std::size_t scheme, std::size_t from) {
  const std::size_t before = line.find_last_of("\"' \t,[{", scheme);
  const char opened = before == line.npos ? ' ' : line[before];
  const bool quoted = opened == '"' || opened == '\'';
  const std::size_t end = quoted ? line.find(opened, from) : line.find_first_of(" \t,}]", from);
  return std::min(end, line.size());
}

// From `from` on: what comes before the host, and what a `?` leads in.
void hide_in_url(std::string& line, std::size_t from, std::size_t end) {
  const std::string_view url = std::string_view(line).substr(from, end - from);
  if (url.find("${") != url.npos) return;
  const std::size_t sign = url.rfind('@');
  const std::size_t question = url.find('?');
  if (sign != url.npos) hide(line, from, from + sign);
  if (question != url.npos) hide(line, from + question + 1, end);
}

void hide_userinfo(std::string& line) {
  constexpr std::string_view kMark = "://";
  for (std::size_t at = line.find(kMark); at != line.npos; at = line.find(kMark, at + 1)) {
    const std::size_t from = at + kMark.size();
    hide_in_url(line, from, end_of_url(line, at, from));
  }
  // One whose `://` was mistyped.
  constexpr std::string_view kRedis = "redis";
  for (std::size_t at = line.find(kRedis); at != line.npos; at = line.find(kRedis, at + 1)) {
    const std::size_t end = end_of_url(line, at, at);
    const std::size_t colon = line.find_first_of(":/", at);
    const std::size_t from = colon == line.npos ? end : line.find_first_not_of(":/", colon);
    if (from < end) hide_in_url(line, from, end);
  }
}

// The name that ends before the colon.
bool speaks_of_a_secret(std::string_view before_colon) {
  const std::size_t end = before_colon.find_last_not_of(" \t\"'");
  if (end == before_colon.npos) return false;
  const std::string_view upto = before_colon.substr(0, end + 1);
  const std::size_t start = upto.find_last_of(" \t\"',{[");
  std::string name(upto.substr(start == upto.npos ? 0 : start + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::string_view kWords[] = {"pas",   "pw",    "word", "secr",
                                         "secer", "scret", "serc", "cret"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return name.find(word) != name.npos; });
}

// The end of the value that begins at `from`; its quotes belong to it.
std::size_t end_of_value(std::string_view line, std::size_t from) {
  const char quote = line[from];
  if (quote == '"' || quote == '\'') {
    for (std::size_t i = from + 1; i < line.size(); ++i) {
      if (quote == '"' && line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        return i;
      }
    }
    return line.size();
  }
  const bool in_braces = line.substr(0, from).find('{') != line.npos;
  const std::size_t end = std::min(
      {in_braces ? line.find_first_of(",}", from) : line.npos, line.find(" #", from), line.size()});
  return end;
}

void hide_values(std::string& line) {
  for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
    if (!speaks_of_a_secret(std::string_view(line).substr(0, colon))) continue;
    std::size_t from = line.find_first_not_of(kBlank, colon + 1);
    if (from == line.npos) return;
    const std::size_t end = end_of_value(line, from);
    if (line[from] == '"' || line[from] == '\'') ++from;
    const std::string_view value = std::string_view(line).substr(from, end - std::min(end, from));
    if (value.starts_with("${") || value.starts_with("file:")) continue;
    hide(line, std::min(from, end), end);
    colon = end;
    if (colon >= line.size()) return;
  }
}

}  // namespace

std::string without_secrets(std::string_view line) {
  std::string shown(line);
  hide_userinfo(shown);
  hide_values(shown);
  return shown;
}

}  // namespace weir::policy
