#include "policy/show_store.h"

#include <algorithm>

namespace weir::policy {

namespace {

// Where `c` stands in `text`, references passed over.
std::size_t find_outside_references(std::string_view text, char c) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${env:")) i = std::min(text.find('}', i), text.size() - 1);
    if (text[i] == c) return i;
  }
  return text.npos;
}

bool only_references(std::string_view text) {
  if (text.starts_with("file:")) return true;
  while (text.starts_with("${env:")) {
    const std::size_t end = text.find('}');
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
  }
  return text.empty();
}

}  // namespace

std::string show_secret(std::string_view typed) {
  return std::string(only_references(typed) ? typed : kRedacted);
}

std::string show_store_url(std::string_view typed) {
  if (only_references(typed)) return std::string(typed);
  const std::size_t start = typed.find("://");
  // Whatever comes before a host may be a password, however odd the rest is.
  const std::size_t at = typed.rfind('@');
  if (start == typed.npos || at == typed.npos || at < start) return std::string(typed);
  const std::string_view user = typed.substr(start + 3, at - start - 3);
  const std::size_t colon = find_outside_references(user, ':');
  if (colon == user.npos) return std::string(typed);
  std::string out(typed.substr(0, start + 3));
  out += user.substr(0, colon + 1);
  return out + show_secret(user.substr(colon + 1)) + std::string(typed.substr(at));
}

}  // namespace weir::policy
