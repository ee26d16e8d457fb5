#include "traffic/reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "traffic/format/formats.h"
#include "traffic/lines.h"
#include "traffic/parser.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kDetectLines = 100;
constexpr std::uint64_t kProgressLines = 1 << 18;
constexpr std::uint64_t kMemoryLines = 1 << 14;

// The beginning of a line for people: at most 80 characters, none of which a terminal obeys.
std::string sample_of(std::string_view line) {
  std::string sample;
  for (const char c : line.substr(0, 80)) {
    sample += c >= ' ' && c < 0x7F ? c : '?';
  }
  if (line.size() > 80) sample += "...";
  return sample;
}

// The finest step that the instants are multiples of, of those that logs are written in.
class Resolution {
 public:
  void see(std::int64_t ns) {
    while (step_ > 1 && ns % step_ != 0) step_ /= 1'000;
  }
  std::int64_t ns() const { return step_; }

 private:
  std::int64_t step_ = 1'000'000'000;
};

// A line that was looked at for the format and is not taken yet.
struct FirstLine {
  std::string text;
  bool too_long = false;
};

class Reader {
 public:
  explicit Reader(const ReadOptions& options) : options_(options) {}

  Result<void> read(const std::vector<std::string>& files) {
    total_bytes(files);
    for (const std::string& file : files) {
      if (auto done = read_file(file); !done) return done.error();
    }
    finish();
    return {};
  }
  ReadLogs take() { return std::move(logs_); }

 private:
  Result<void> read_file(const std::string& file) {
    auto source = open_source(file);
    if (!source) return source.error();
    logs_.report.files.push_back(file);
    Lines lines(**source);
    line_ = 0;
    if (parser_ == nullptr) {
      if (auto done = choose_format(lines, file); !done) return done.error();
    }
    parser_->restart();
    for (const FirstLine& kept : first_lines_) take_line(kept.text, kept.too_long, file);
    first_lines_.clear();
    std::string_view line;
    while (lines.next(line)) {
      take_line(line, lines.too_long(), file);
      if (line_ % kMemoryLines == 0) {
        if (auto fits = check_memory(); !fits) return fits.error();
      }
      if (options_.progress && line_ % kProgressLines == 0) tell_progress(**source);
    }
    if (lines.error()) {
      Error error = *lines.error();
      error.message += " (after " + std::to_string(line_) + " lines)";
      return error;
    }
    done_bytes_ += (*source)->position();
    return check_memory();
  }

  Result<void> choose_format(Lines& lines, const std::string& file) {
    std::string_view line;
    if (options_.format == "auto" && options_.field_map.empty()) {
      std::vector<std::string_view> views;
      while (first_lines_.size() < kDetectLines && lines.next(line)) {
        first_lines_.push_back({std::string(line), lines.too_long()});
      }
      for (const FirstLine& first : first_lines_) {
        if (!first.too_long) views.push_back(first.text);
      }
      auto detected = detect(views);
      if (!detected) {
        Error error = detected.error();
        error.where = file;
        return error;
      }
      logs_.report.format = detected->name;
      parser_ = std::move(detected->parser);
      return {};
    }
    auto made = make_parser(options_.format, options_.field_map);
    if (!made) return made.error();
    logs_.report.format = options_.format;
    parser_ = std::move(*made);
    return {};
  }

  void take_line(std::string_view line, bool too_long, const std::string& file) {
    ReadReport& report = logs_.report;
    ++report.lines;
    ++line_;
    if (too_long) return reject("the line is longer than 1 MiB", line, file);
    switch (parser_->parse(line, record_)) {
      case Parsed::nothing:
        ++report.nothing;
        return;
      case Parsed::rejected:
        return reject(parser_->reason(), line, file);
      case Parsed::request:
        break;
    }
    if (record_.time_ns == kNoTime) return reject("no time", line, file);
    // A steady clock starts at 1970: nothing can have been asked before.
    if (record_.start_ns() < 0) return reject("a time before 1970", line, file);
    ++report.requests;
    take_request();
  }

  void take_request() {
    ReadReport& report = logs_.report;
    std::string_view target = record_.target;
    if (!options_.keep_query) target = target.substr(0, target.find('?'));
    if (record_.method.empty() && target.empty()) ++report.odd_requests;
    const std::int64_t start = record_.start_ns();
    resolution_.see(record_.time_ns);
    if (report.requests == 1) report.first_ns = report.last_ns = start;
    if (start < report.last_ns) {
      ++report.out_of_order;
      report.largest_step_back_ns = std::max(report.largest_step_back_ns, report.last_ns - start);
    }
    report.first_ns = std::min(report.first_ns, start);
    report.last_ns = std::max(report.last_ns, start);
    if (record_.limited || record_.status == 429) ++report.limited;
    logs_.events.add(record_, target);
  }

  void reject(std::string_view reason, std::string_view line, const std::string& file) {
    ++logs_.report.rejected;
    const auto found = logs_.report.rejections.find(reason);
    if (found != logs_.report.rejections.end()) {
      ++found->second.count;
      return;
    }
    logs_.report.rejections.emplace(reason, Rejection{1, file, line_, sample_of(line)});
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
    logs_.report.resolution_ns = resolution_.ns();
    std::vector<std::string_view> names;
    for (std::uint32_t id = 0; id < events.callers(); ++id) {
      if (events.caller(id).named) names.push_back(events.caller(id).client);
    }
    std::sort(names.begin(), names.end());
    logs_.report.named_clients =
        static_cast<std::uint64_t>(std::unique(names.begin(), names.end()) - names.begin());
  }

  const ReadOptions& options_;
  ReadLogs logs_;
  std::unique_ptr<Parser> parser_;
  std::vector<FirstLine> first_lines_;
  Record record_;
  Resolution resolution_;
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
