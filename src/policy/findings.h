// Collects what is wrong with a file, and shows it: one line each, or the source line with a caret.
//
//   Report report("policy.yaml");
//   report.error(at, "unknown key `limts`", "did you mean `limits`?");
//   for (const Finding& f : report.take()) std::cerr << with_caret(f, source);
//
// At most kMaxFindings are kept; a last one says that there were more. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "policy/position.h"
#include "weir/result.h"

namespace weir::policy {

inline constexpr std::size_t kMaxFindings = 500;

class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  void error(Position at, std::string message, std::string help = {}, std::string code = {});
  // What was named cannot be read: an error, passing where `why` is ErrorCode::unavailable.
  void unreadable(Position at, const Error& why, std::string help = {});
  void warning(Position at, std::string message, std::string help = {}, std::string code = {});
  void info(Position at, std::string message, std::string help = {}, std::string code = {});

  bool failed() const { return errors_ > 0; }
  // More will only be counted: not worth a search for the nearest word.
  bool full() const { return findings_.size() >= kMaxFindings; }
  const std::string& file() const { return file_; }
  Findings take();  // in file order

 private:
  void add(Finding finding);

  std::string file_;
  Findings findings_;
  std::size_t errors_ = 0;
  std::size_t dropped_ = 0;
};

// text(), then the line of `source` it is about with a caret below its column:
//
//   policy.yaml:3:5: error: unknown key `limts`; did you mean `limits`?
//      3 |     limts: [30/min]
//        |     ^~~~~
std::string with_caret(const Finding& finding, std::string_view source);

}  // namespace weir::policy
