// A parser reads one format of access log, a line at a time.
//
//   auto parser = traffic::make_parser("combined");         // or a log_format string, or a field
//   map traffic::Record record; switch (parser->parse(line, record)) { ... }
//
// Lines come without their end (`\n` or `\r\n`). A parser never throws and never stops: what it
// cannot read is `rejected`, with a reason that names the field. A parser is for one input in one
// thread: formats with a header line (CSV, W3C) keep what it said. No allocation a line once warm.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traffic/record.h"
#include "weir/result.h"

namespace weir::traffic {

enum class Parsed : std::uint8_t {
  request,   // `record` is filled
  nothing,   // a comment, a header line, an empty line, an event that is no request
  rejected,  // `reason()` says why; `record` means nothing
};

class Parser {
 public:
  Parser() = default;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  virtual ~Parser() = default;

  // `record` is cleared first.
  virtual Parsed parse(std::string_view line, Record& record) = 0;
  // Of the last line that was rejected: a short sentence with a static life, such as "no time".
  // Few are different: they are counted by it.
  std::string_view reason() const { return reason_; }
  // Whether how a line is read depends on lines before it (a header line).
  virtual bool remembers() const { return false; }
  // A new input begins: what a header line said is forgotten.
  virtual void restart() {}

 protected:
  Parsed reject(std::string_view reason) {
    reason_ = reason;
    return Parsed::rejected;
  }

 private:
  std::string_view reason_;
};

}  // namespace weir::traffic
