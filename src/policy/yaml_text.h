// Writing YAML: texts, and lists and mappings on one line. Pure; allocates what it returns.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace weir::policy {

// Double-quoted, as in JSON too. Policies have no control characters.
std::string quote(std::string_view text);
// Plain where that is surely read as the same text.
std::string scalar(std::string_view text);

// [a, b]
class FlowList {
 public:
  void add(std::string text) { out_ += (out_.empty() ? "" : ", ") + std::move(text); }
  std::string text() const { return "[" + out_ + "]"; }

 private:
  std::string out_;
};

// {a: b, c: d}
class FlowMap {
 public:
  void add(std::string_view key, std::string value) {
    out_ += (out_.empty() ? "" : ", ") + std::string(key) + ": " + std::move(value);
  }
  std::string text() const { return "{" + out_ + "}"; }

 private:
  std::string out_;
};

}  // namespace weir::policy
