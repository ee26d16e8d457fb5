// Where in a policy file something was typed, and what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::policy {

struct Position {
  std::uint32_t line = 0;  // from 1; 0: nowhere in a file
  std::uint32_t column = 0;
};

enum class Severity : std::uint8_t { error, warning, info };

// One thing found in a file: what, why and what to do, at a place.
struct Finding {
  Severity severity = Severity::error;
  std::string code;  // stable: "WR131" of the lint catalogue, "" for what the loader refuses
  std::string file;
  Position at;
  std::string message;
  std::string help;  // what to do; the nearest word
  // The same files may load later: the system had no descriptor, or a file was being replaced.
  bool passing = false;

  // "policy.yaml:3:5: error: unknown key `limts`; did you mean `limits`?"
  std::string text() const;
};

using Findings = std::vector<Finding>;

}  // namespace weir::policy
