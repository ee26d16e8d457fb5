#include "traffic/batch.h"

#include "traffic/lines.h"

namespace weir::traffic {
namespace {

// The beginning of a line for people: at most 80 characters, none of which a terminal obeys.
std::string sample_of(std::string_view line) {
  std::string sample;
  for (const char c : line.substr(0, 80)) {
    sample += c >= ' ' && c < 0x7F ? c : '?';
  }
  if (line.size() > 80) sample += "...";
  return sample;
}

void reject(Batch& batch, std::string_view reason, std::string_view line) {
  ++batch.rejected;
  const auto found = batch.rejections.find(reason);
  if (found != batch.rejections.end()) {
    ++found->second.count;
    return;
  }
  batch.rejections.emplace(reason, Rejection{1, "", batch.lines, sample_of(line)});
}

void take_request(Batch& batch, const Record& record, bool keep_query) {
  std::string_view target = record.target;
  if (!keep_query) target = target.substr(0, target.find('?'));
  if (record.method.empty() && target.empty()) ++batch.odd_requests;
  if (record.limited || record.status == 429) ++batch.limited;
  while (batch.resolution_ns > 1 && record.time_ns % batch.resolution_ns != 0) {
    batch.resolution_ns /= 1'000;
  }
  batch.events.add(record, target);
}

}  // namespace

void Batch::clear() {
  events.clear();
  lines = nothing = rejected = odd_requests = limited = 0;
  rejections.clear();
  resolution_ns = 1'000'000'000;
}

void parse_block(std::string_view text, Parser& parser, bool keep_query, Batch& batch) {
  batch.clear();
  Lines lines(text);
  Record record;
  for (std::string_view line; lines.next(line);) {
    ++batch.lines;
    if (lines.too_long()) {
      reject(batch, "the line is longer than 1 MiB", line);
      continue;
    }
    switch (parser.parse(line, record)) {
      case Parsed::nothing:
        ++batch.nothing;
        continue;
      case Parsed::rejected:
        reject(batch, parser.reason(), line);
        continue;
      case Parsed::request:
        break;
    }
    if (record.time_ns == kNoTime) {
      reject(batch, "no time", line);
    } else if (record.start_ns() < 0) {
      // A steady clock starts at 1970: nothing can have been asked before.
      reject(batch, "a time before 1970", line);
    } else {
      take_request(batch, record, keep_query);
    }
  }
}

}  // namespace weir::traffic
