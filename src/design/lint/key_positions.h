// Where each key of a YAML file was typed, by dotted path: "response.headers", "limits[2].rate".
//
// For findings about keys that a compiled Policy keeps no position of. A file that does not parse
// has no keys. Owns its strings; thread-safe to read; the file is read once.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "policy/position.h"

namespace weir::design::lint {

class KeyPositions {
 public:
  explicit KeyPositions(std::string_view yaml);

  bool has(std::string_view path) const { return keys_.find(path) != keys_.end(); }
  // Of the key, or of its nearest parent that was typed; the start of the file at last.
  policy::Position at(std::string_view path) const;

 private:
  std::map<std::string, policy::Position, std::less<>> keys_;
};

}  // namespace weir::design::lint
