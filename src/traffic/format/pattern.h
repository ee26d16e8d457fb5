// Lines that are fields with fixed texts between them: nginx's log_format, Apache's LogFormat, and
// the formats that are patterns underneath.
//
// A field ends at the first place where the text after it stands. A field in quotes ends at the
// next quote that is not escaped; `\"`, `\\`, `\xHH` and JSON's escapes are decoded in it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/format/field.h"
#include "traffic/parser.h"
#include "weir/result.h"

namespace weir::traffic {

struct PatternStep {
  FieldSpec field;
  std::string after;  // empty: the line ends
};

struct Pattern {
  std::string before;  // the first field
  std::vector<PatternStep> steps;
  bool decode = true;     // escapes in quotes; false: nginx's escape=none
  bool open_end = false;  // more may follow the last field, after a space
};

std::unique_ptr<Parser> make_pattern_parser(Pattern pattern);

// `text`: a log_format's string, or the whole directive with its quotes. Errors name the variable.
Result<Pattern> nginx_pattern(std::string_view text);
// `text`: a LogFormat's string, or the whole directive.
Result<Pattern> apache_pattern(std::string_view text);

}  // namespace weir::traffic
