// What the lines of one block come to: parsed by one thread, then put behind those before it.
//
//   Batch batch;
//   parse_block(block.text(), *parser, keep_query, batch);
//
// A value; `clear` keeps its memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "traffic/events.h"
#include "traffic/parser.h"

namespace weir::traffic {

// Lines that were rejected for one reason.
struct Rejection {
  std::uint64_t count = 0;
  std::string file;  // of the first
  std::uint64_t line = 0;
  std::string sample;  // its beginning, printable
};

using Rejections = std::map<std::string, Rejection, std::less<>>;  // by reason

struct Batch {
  void clear();

  Events events;  // in the order of their lines
  std::uint64_t lines = 0;
  std::uint64_t nothing = 0;
  std::uint64_t rejected = 0;
  Rejections rejections;           // lines counted from 1 at the block's beginning; no files
  std::uint64_t odd_requests = 0;  // without method and target
  std::uint64_t limited = 0;
  std::int64_t resolution_ns = 1'000'000'000;  // of the coarsest step that all times are of
};

// `batch` is cleared first. Without `keep_query` targets lose their query string.
void parse_block(std::string_view text, Parser& parser, bool keep_query, Batch& batch);

}  // namespace weir::traffic
