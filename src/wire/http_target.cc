#include "wire/http_target.h"

#include "wire/http_text.h"

namespace weir::wire {

std::optional<std::string_view> origin_form(std::string_view method, std::string_view target) {
  if (method == "CONNECT") return std::nullopt;
  if (target.starts_with('/')) return target;
  if (target == "*" && method == "OPTIONS") return target;
  const std::size_t scheme = target.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  if (!equals_ignoring_case(target.substr(0, scheme), "http") &&
      !equals_ignoring_case(target.substr(0, scheme), "https")) {
    return std::nullopt;
  }
  const std::size_t authority = scheme + 3;
  const std::size_t path = target.find_first_of("/?#", authority);
  if (path == authority || authority == target.size()) return std::nullopt;
  // No path means "/", which stands nowhere in the target: the slash of "://" serves as one.
  if (path == std::string_view::npos) return target.substr(scheme + 2, 1);
  if (target[path] != '/') return std::nullopt;
  return target.substr(path);
}

bool names_other_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\r'));
  const std::size_t target = line.find(' ');
  const std::size_t version = line.find(' ', target + 1);
  if (target == std::string_view::npos || version == std::string_view::npos) return false;
  const std::string_view text = line.substr(version + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return text.size() == 8 && text.starts_with("HTTP/") && digit(text[5]) && text[6] == '.' &&
         digit(text[7]);
}

}  // namespace weir::wire
