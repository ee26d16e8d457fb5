// Rows in words: what to write, for messages and the reference.
#include <string>

#include "policy/loader.h"
#include "policy/table.h"

namespace weir::policy {

namespace {

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "`" : ", `") + word + "`";
  return out;
}

}  // namespace

std::string describe(const Spec& spec) {
  const Row& row = *spec.row;
  std::vector<std::string> ways;
  if (row.types & kRate) ways.push_back("a rate like `60/min`");
  if (row.types & kCount) ways.push_back("a number like `100` or `20k`");
  if (row.types & kInteger) {
    ways.push_back(row.least == row.most ? std::to_string(row.least) : "a whole number");
  }
  if (row.types & kFraction) ways.push_back("a number from 0 to 1");
  if (row.types & kDuration) ways.push_back("a duration like `15m`");
  if (row.types & kBool) ways.push_back("`true` or `false`");
  if (row.types & kDate) ways.push_back("a day like `2027-01-31`");
  if (row.types & kPattern) ways.push_back("a pattern like `GET /v1/**`");
  if (row.types & kNetwork) ways.push_back("a network like `10.0.0.0/8`");
  if (row.types & kStore) ways.push_back("`memory`, a URL like `redis://host:6379/0`");
  if (row.types & kName) ways.push_back("a name");
  if (row.types & kWord) {
    for (const std::string& word : spec.words()) ways.push_back("`" + word + "`");
  }
  if ((row.types & (kText | kSecret)) && !(row.types & kNetwork)) ways.push_back("a text");
  if (row.types & kList) ways.push_back("a list");
  if (row.types & (kMap | kNames)) ways.push_back("a mapping");
  std::string out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i > 0) out += i + 1 == ways.size() ? " or " : ", ";
    out += ways[i];
  }
  return out;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  const std::string_view near = nearest(word, words);
  if (!near.empty()) return "did you mean `" + std::string(near) + "`?";
  return words.empty() ? std::string() : "known here: " + join(words);
}

}  // namespace weir::policy
