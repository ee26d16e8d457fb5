#include "policy/yaml_text.h"

#include "policy/yaml_tree.h"

namespace weir::policy {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string scalar(std::string_view text) {
  Node node = Node::scalar(std::string(text), {});
  const bool plain =
      !text.empty() && core_type(node) == Core::text &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == text.npos &&
      text[0] != '-' && text[0] != '.';
  return plain ? std::string(text) : quote(text);
}

}  // namespace weir::policy
