// A Redis reply as text that tests compare: nested values in brackets, strings with their length.
#pragma once

#include <string>

#include "wire/resp.h"

namespace weir::wire::testing {

inline const char* word(RespType type) {
  constexpr const char* kWords[] = {"null", "simple", "error", "int", "bool", "real", "big",
                                    "bulk", "text",   "array", "map", "set",  "push"};
  return kWords[static_cast<std::size_t>(type)];
}

inline std::string to_text(const RespValue& value) {
  std::string out = word(value.type);
  switch (value.type) {
    case RespType::null:
      return out;
    case RespType::integer:
    case RespType::boolean:
      return out + " " + std::to_string(value.integer);
    case RespType::array:
    case RespType::map:
    case RespType::set:
    case RespType::push:
      out += " [";
      for (const RespValue& item : RespItems(value)) out += to_text(item) + "; ";
      return out + "]";
    default:
      return out + " " + std::to_string(value.text.size()) + " <" + std::string(value.text) + ">";
  }
}

}  // namespace weir::wire::testing
