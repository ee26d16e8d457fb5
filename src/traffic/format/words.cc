#include "traffic/format/words.h"

#include <algorithm>

#include "traffic/format/unescape.h"

namespace weir::traffic {
namespace {

std::size_t closing_quote(std::string_view line, std::size_t at) {
  for (; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\') ++at;
  }
  return at < line.size() ? at : std::string_view::npos;
}

}  // namespace

bool split_words(std::string_view line, Words& words, std::string& scratch) {
  words.count = 0;
  for (std::size_t at = 0; words.count < Words::kMost;) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos) break;
    std::string_view& word = words.list[words.count];
    if (line[at] == '"') {
      const std::size_t end = closing_quote(line, at + 1);
      if (end == std::string_view::npos) return false;
      word = line.substr(at + 1, end - at - 1);
      if (word.find('\\') != std::string_view::npos) {
        const std::size_t begin = scratch.size();
        append_unescaped(scratch, word);
        word = std::string_view(scratch).substr(begin);
      }
      at = end + 1;
    } else if (line[at] == '[') {
      const std::size_t end = line.find(']', at);
      if (end == std::string_view::npos) return false;
      word = line.substr(at + 1, end - at - 1);
      at = end + 1;
    } else {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      word = line.substr(at, end - at);
      at = end;
    }
    ++words.count;
  }
  return true;
}

}  // namespace weir::traffic
