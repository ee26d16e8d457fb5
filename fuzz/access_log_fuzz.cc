// A format of access logs, then lines of it: the first line of the input is the format (a name, an
// nginx log_format, an Apache LogFormat), the others are lines.
//
// Whatever it holds: nothing crashes; a format that is refused says why; a line is read, nothing,
// or rejected with a reason; what is read is bytes of the line or of the parser; and a line that
// comes again is read the same, whatever stood between.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/events.h"
#include "traffic/format/formats.h"

namespace {

using weir::traffic::Parsed;
using weir::traffic::Parser;
using weir::traffic::Record;

void check(bool good) {
  if (!good) std::abort();
}

// All bytes of a record's views, in one text: a sanitizer sees a view that is none.
std::string flat(const Record& record) {
  std::string text;
  const auto add = [&](std::string_view view) {
    text += view;
    text += '\n';
  };
  for (const std::string_view view :
       {record.client, record.method, record.target, record.user_agent}) {
    add(view);
  }
  for (const weir::Field& field : record.headers()) add(field.name), add(field.value);
  for (const weir::Field& field : record.attributes()) add(field.name), add(field.value);
  for (const auto& cost : record.costs()) add(cost.unit), add(std::to_string(cost.cost));
  for (const std::int64_t number : {record.time_ns, record.duration_ns, record.start_ns(),
                                    std::int64_t{record.status}, std::int64_t{record.limited}}) {
    add(std::to_string(number));
  }
  return text;
}

// What came of a line, as text.
std::string outcome(Parser& parser, std::string_view line) {
  Record record;
  switch (parser.parse(line, record)) {
    case Parsed::nothing:
      return "nothing";
    case Parsed::rejected:
      check(!parser.reason().empty());
      return std::string(parser.reason());
    case Parsed::request:
      check(record.time_ns != weir::traffic::kNoTime && record.status < 1'000);
      check(record.duration_ns >= -1);
      return flat(record);
  }
  std::abort();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void check_lines(Parser& parser, const std::vector<std::string_view>& lines) {
  weir::traffic::Events events;
  std::vector<std::string> first;
  for (const std::string_view line : lines) first.push_back(outcome(parser, line));
  parser.restart();
  Record record;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    check(outcome(parser, lines[i]) == first[i]);
    if (parser.parse(lines[i], record) == Parsed::request) events.add(record, record.target);
  }
  events.sort();
  for (std::size_t i = 1; i < events.size(); ++i) {
    check(events.at(i - 1).start_ns <= events.at(i).start_ns);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto lines = lines_of({reinterpret_cast<const char*>(data), size});
  auto parser = weir::traffic::make_parser(lines.front(), "");
  if (!parser) check(!parser.error().message.empty());
  lines.erase(lines.begin());
  if (parser) check_lines(**parser, lines);
  if (auto detected = weir::traffic::detect(lines)) check_lines(*detected->parser, lines);
  return 0;
}
