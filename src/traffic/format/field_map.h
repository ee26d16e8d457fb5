// What `--fields` says: which name of the log is which field of a request.
//
//   parse_field_map("time=ts,client=request.remote_ip,cost.tokens=usage.total,duration_ms=took");
//
// A name is a column of a CSV file, or a member of a JSON object; a dot goes into an inner object.
// The first name of a field that a line has is taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traffic/format/field.h"
#include "weir/result.h"

namespace weir::traffic {

struct NamedField {
  std::string name;
  FieldSpec spec;
};

// Fields: time (RFC 3339, a web server's, or a number since 1970 whose size says its unit), time_s,
// time_ms, time_us, time_ns, each with `end_` before it where it is when the request ended;
// duration_s, duration_ms, duration_us, duration_ns; client (or key), request, method, target,
// path, query, status, bytes, user_agent, user, header.NAME, attribute.NAME, cost.UNIT (cost alone:
// `requests`). Errors: no such field, with the nearest; no name; no time.
Result<std::vector<NamedField>> parse_field_map(std::string_view text);

// Names that programs choose for the fields, as such a map.
std::string_view usual_field_map();

// Puts the values of one line: of several names of one field the first that has a value; every
// cost.
class NamedFields {
 public:
  explicit NamedFields(const std::vector<NamedField>& fields);

  // `value(i)` is that of the i-th field, empty where the line has none. What is returned is why a
  // value could not be read (FieldSink::put).
  template <typename Value>
  std::string_view put(FieldSink& sink, const Value& value, CommonTime& common) {
    done_.assign(specs_.size(), false);
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (done_[group_[i]]) continue;
      const std::string_view text = value(i);
      if (text.empty() || text == "-") continue;
      done_[group_[i]] = true;
      if (const auto why = sink.put(specs_[i], text, common); !why.empty()) return why;
    }
    return {};
  }

 private:
  std::vector<FieldSpec> specs_;
  std::vector<std::size_t> group_;  // the first of the same field
  std::vector<bool> done_;          // by group, on this line
};

}  // namespace weir::traffic
