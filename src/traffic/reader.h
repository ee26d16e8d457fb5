// Reads access logs into events: every line is a request, nothing, or a rejection with a reason;
// none stops the reading, none is dropped silently.
//
//   traffic::ReadOptions options;
//   auto read = traffic::read_logs({"access.log.1.gz", "access.log"}, options);
//   if (!read) return fail(read.error());           // a file that cannot be read, too much memory
//   read->events, read->report.rejected, ...
//
// Files may be given by patterns ("logs/access*.gz"). They are read in the order given, a pattern's
// with the oldest rotation first (access.log.2.gz, access.log.1, access.log); what is out of order
// is put in order afterwards. Called by one thread; it parses with as many as the machine has.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traffic/batch.h"
#include "traffic/events.h"
#include "weir/result.h"

namespace weir::traffic {

struct Progress {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;        // of the files, packed as they are
  std::uint64_t total_bytes = 0;  // 0: not known (standard input)
};

struct ReadOptions {
  std::string format = "auto";  // a name, an nginx log_format or an Apache LogFormat
  std::string field_map;        // for JSON lines and CSV: "time=ts,client=ip"
  std::uint64_t memory_bytes = std::uint64_t{1'500} << 20;  // the most that events may take
  // Targets lose their query string where nothing counts by it: far fewer are different.
  bool keep_query = true;
  std::function<void(const Progress&)> progress;  // now and then
};

struct ReadReport {
  std::string format;  // what was read: a name, or the pattern given
  std::vector<std::string> files;
  std::uint64_t lines = 0;  // = requests + nothing + rejected, but for lines of many requests
  std::uint64_t requests = 0;
  std::uint64_t nothing = 0;  // comments, headers, empty lines, other events
  std::uint64_t rejected = 0;
  Rejections rejections;
  std::uint64_t odd_requests = 0;   // requests whose line had no method and target: counted as such
  std::uint64_t named_clients = 0;  // distinct clients that are names: an address stands for each
  std::uint64_t limited = 0;        // refused by a limiter already
  std::uint64_t out_of_order = 0;   // requests before one that was read earlier
  std::int64_t largest_step_back_ns = 0;
  std::int64_t first_ns = 0;  // of the earliest and the latest start
  std::int64_t last_ns = 0;
  std::int64_t resolution_ns = 1'000'000'000;  // how finely the log tells time, as seen
};

struct ReadLogs {
  Events events;  // in order of time
  ReadReport report;
};

Result<ReadLogs> read_logs(const std::vector<std::string>& paths, const ReadOptions& options);

// The files that `paths` name, in the order in which they are read. Errors: a pattern that matches
// nothing, a path that is not there.
Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths);

}  // namespace weir::traffic
