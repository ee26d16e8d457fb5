// Blocks of lines are read in turn by this thread, parsed by others at the same time, and put
// behind each other in the order in which they stand: what is read does not depend on how many
// threads.
#include "traffic/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <thread>

#include "traffic/batch.h"
#include "traffic/blocks.h"
#include "traffic/format/formats.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kDetectLines = 100;

// One block on its way: its memory is used again for a later one.
struct Job {
  Block block;
  std::unique_ptr<Parser> own;  // where lines say all by themselves
  Batch batch;
};

class Reader {
 public:
  explicit Reader(const ReadOptions& options) : options_(options) {}

  Result<void> read(const std::vector<std::string>& files) {
    total_bytes(files);
    for (const std::string& file : files) {
      if (auto done = read_file(file); !done) return done.error();
    }
    if (parser_ == nullptr) return choose_format("");  // nothing but empty files
    finish();
    return {};
  }
  ReadLogs take() { return std::move(logs_); }

 private:
  Result<void> read_file(const std::string& file) {
    auto source = open_source(file);
    if (!source) return source.error();
    logs_.report.files.push_back(file);
    Blocks blocks(**source);
    line_ = 0;
    auto done = read_blocks(blocks, **source);
    while (!running_.empty()) {
      auto merged = merge_first();
      if (done) done = std::move(merged);
    }
    if (!done) return done;
    if (blocks.error()) {
      Error error = *blocks.error();
      error.message += " (after " + std::to_string(line_) + " lines)";
      return error;
    }
    done_bytes_ += (*source)->position();
    return {};
  }

  Result<void> read_blocks(Blocks& blocks, const Source& source) {
    for (bool first = true;; first = false) {
      std::unique_ptr<Job> job = free_job();
      if (!blocks.next(job->block)) return {};
      if (parser_ == nullptr) {
        if (auto chosen = choose_format(job->block.text()); !chosen) return chosen;
      }
      if (first) parser_->restart();
      while (running_.size() >= (parser_->remembers() ? 1 : threads_)) {
        if (auto merged = merge_first(); !merged) return merged;
      }
      start(std::move(job), blocks.ended());
      if (options_.progress) tell_progress(source);
    }
  }

  // The last block of a file, often its only one, needs no parser of its own.
  void start(std::unique_ptr<Job> job, bool last) {
    Parser* parser = parser_.get();
    if (!last && !parser->remembers()) {
      if (job->own == nullptr) job->own = *make_parser(spec_, options_.field_map);
      parser = job->own.get();
    }
    const auto how = last && running_.empty() ? std::launch::deferred : std::launch::async;
    const bool keep_query = options_.keep_query;
    running_.push_back(std::async(how, [parser, keep_query, job = std::move(job)]() mutable {
      parse_block(job->block.text(), *parser, keep_query, job->batch);
      return std::move(job);
    }));
  }

  Result<void> merge_first() {
    std::unique_ptr<Job> job = running_.front().get();
    running_.pop_front();
    merge(job->batch);
    free_.push_back(std::move(job));
    return check_memory();
  }

  std::unique_ptr<Job> free_job() {
    if (free_.empty()) return std::make_unique<Job>();
    std::unique_ptr<Job> job = std::move(free_.back());
    free_.pop_back();
    return job;
  }

  Result<void> choose_format(std::string_view text) {
    if (options_.format != "auto" || !options_.field_map.empty()) {
      spec_ = options_.format == "auto" ? looks_like(text) : options_.format;
      auto made = make_parser(spec_, options_.field_map);
      if (!made) return made.error();
      parser_ = std::move(*made);
    } else {
      auto detected = detect(first_lines(text));
      if (!detected) {
        Error error = detected.error();
        error.where = logs_.report.files.back();
        return error;
      }
      spec_ = detected->name;
      parser_ = std::move(detected->parser);
    }
    logs_.report.format = spec_;
    return {};
  }

  // Of what --fields is said: objects, or columns.
  static std::string looks_like(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{' ? "json" : "csv";
  }

  static std::vector<std::string_view> first_lines(std::string_view text) {
    std::vector<std::string_view> first;
    Lines lines(text);
    for (std::string_view line; first.size() < kDetectLines && lines.next(line);) {
      if (!lines.too_long()) first.push_back(line);
    }
    return first;
  }

  void merge(const Batch& batch) {
    ReadReport& report = logs_.report;
    for (const auto& [reason, rejection] : batch.rejections) {
      const auto [at, is_new] = report.rejections.emplace(reason, rejection);
      if (is_new) {
        at->second.file = report.files.back();
        at->second.line += line_;
      } else {
        at->second.count += rejection.count;
      }
    }
    line_ += batch.lines;
    report.lines += batch.lines;
    report.nothing += batch.nothing;
    report.rejected += batch.rejected;
    report.odd_requests += batch.odd_requests;
    report.limited += batch.limited;
    report.resolution_ns = std::min(report.resolution_ns, batch.resolution_ns);
    for (std::size_t i = 0; i < batch.events.size(); ++i) take_time(batch.events.at(i).start_ns);
    logs_.events.append(batch.events);
  }

  void take_time(std::int64_t start_ns) {
    ReadReport& report = logs_.report;
    if (report.requests++ == 0) report.first_ns = report.last_ns = start_ns;
    if (start_ns < report.last_ns) {
      ++report.out_of_order;
      report.largest_step_back_ns =
          std::max(report.largest_step_back_ns, report.last_ns - start_ns);
    }
    report.first_ns = std::min(report.first_ns, start_ns);
    report.last_ns = std::max(report.last_ns, start_ns);
  }

  Result<void> check_memory() const {
    const std::size_t used = logs_.events.bytes();
    if (used <= options_.memory_bytes) return {};
    return Error{ErrorCode::out_of_range,
                 "the requests read so far (" + std::to_string(logs_.events.size()) + ") take " +
                     std::to_string(used >> 20) + " MiB, more than --memory allows (" +
                     std::to_string(options_.memory_bytes >> 20) +
                     " MiB): allow more, or read fewer files at a time",
                 logs_.report.files.back()};
  }

  void total_bytes(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      struct stat about = {};
      if (file == "-" || ::stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        total_bytes_ = 0;
        return;
      }
      total_bytes_ += static_cast<std::uint64_t>(about.st_size);
    }
  }

  void tell_progress(const Source& source) const {
    options_.progress({logs_.report.lines, done_bytes_ + source.position(), total_bytes_});
  }

  void finish() {
    Events& events = logs_.events;
    events.sort();
    std::vector<std::string_view> names;
    for (std::uint32_t id = 0; id < events.callers(); ++id) {
      if (events.caller(id).named) names.push_back(events.caller(id).client);
    }
    std::sort(names.begin(), names.end());
    logs_.report.named_clients =
        static_cast<std::uint64_t>(std::unique(names.begin(), names.end()) - names.begin());
  }

  const ReadOptions& options_;
  const std::size_t threads_ = std::max(1u, std::thread::hardware_concurrency());
  ReadLogs logs_;
  std::string spec_;
  std::unique_ptr<Parser> parser_;
  std::deque<std::future<std::unique_ptr<Job>>> running_;  // in the order of their blocks
  std::vector<std::unique_ptr<Job>> free_;
  std::uint64_t line_ = 0;  // of the file at hand
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace

Result<ReadLogs> read_logs(const std::vector<std::string>& paths, const ReadOptions& options) {
  const auto files = expand_paths(paths);
  if (!files) return files.error();
  Reader reader(options);
  if (auto done = reader.read(*files); !done) return done.error();
  return reader.take();
}

}  // namespace weir::traffic
