#include "traffic/format/pattern.h"

#include <cstring>

#include "traffic/format/unescape.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// A step with what follows from its neighbours.
struct CompiledStep {
  FieldSpec field;
  std::string after;
  bool quoted = false;      // ends at an unescaped quote
  bool last_colon = false;  // "host:port": the host may hold colons itself (IPv6)
  bool one_word = false;    // the last field, of a kind that holds no space
};

bool holds_no_space(FieldKind kind) {
  return kind == FieldKind::client || kind == FieldKind::method || kind == FieldKind::status ||
         kind == FieldKind::bytes || kind == FieldKind::cost || kind == FieldKind::duration ||
         kind == FieldKind::time_number || kind == FieldKind::time_fraction;
}

// The first quote from `from` on with an even number of backslashes before it.
std::size_t closing_quote(std::string_view line, std::size_t from) {
  for (std::size_t at = from;; ++at) {
    at = line.find('"', at);
    if (at == kNone) return kNone;
    std::size_t slashes = 0;
    while (at - slashes > from && line[at - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
}

std::size_t find_literal(std::string_view line, std::size_t from, std::string_view literal) {
  const char* const end = line.data() + line.size();
  for (const char* at = line.data() + from; at < end; ++at) {
    at = static_cast<const char*>(std::memchr(at, literal[0], static_cast<std::size_t>(end - at)));
    if (at == nullptr) return kNone;
    if (static_cast<std::size_t>(end - at) < literal.size()) return kNone;
    if (std::memcmp(at, literal.data(), literal.size()) == 0) {
      return static_cast<std::size_t>(at - line.data());
    }
  }
  return kNone;
}

class PatternParser : public Parser {
 public:
  explicit PatternParser(Pattern pattern)
      : before_(std::move(pattern.before)), decode_(pattern.decode), open_end_(pattern.open_end) {
    char last = before_.empty() ? '\0' : before_.back();
    for (PatternStep& step : pattern.steps) {
      CompiledStep compiled{std::move(step.field), std::move(step.after)};
      compiled.quoted = decode_ && last == '"' && compiled.after.starts_with('"');
      compiled.last_colon = compiled.after == ":" && (compiled.field.kind == FieldKind::client ||
                                                      compiled.field.kind == FieldKind::header ||
                                                      compiled.field.kind == FieldKind::skip);
      compiled.one_word = compiled.after.empty() && holds_no_space(compiled.field.kind);
      last = compiled.after.empty() ? '\0' : compiled.after.back();
      steps_.push_back(std::move(compiled));
    }
  }

  Parsed parse(std::string_view line, Record& record) override {
    record.clear();
    scratch_.clear();
    if (line.empty()) return Parsed::nothing;
    if (!line.starts_with(before_)) return reject("the line does not begin as the format does");
    // What is decoded, and a target put together, take less: no view into it moves.
    scratch_.reserve(2 * line.size() + 1);
    FieldSink sink(record);
    std::size_t at = before_.size();
    for (const CompiledStep& step : steps_) {
      const std::size_t end = end_of(step, line, at);
      if (end == kNone) return reject("the line ends before the format does");
      std::string_view value = line.substr(at, end - at);
      if (step.quoted && value.find('\\') != kNone) value = decoded(value);
      const std::string_view why = sink.put(step.field, value, common_);
      if (!why.empty()) return reject(why);
      at = end + step.after.size();
    }
    const bool more = at < line.size();
    if (more && !(open_end_ && line[at] == ' ')) {
      return reject("there is more on the line than the format has");
    }
    const std::string_view why = sink.finish(scratch_);
    return why.empty() ? Parsed::request : reject(why);
  }

 private:
  std::size_t end_of(const CompiledStep& step, std::string_view line, std::size_t from) const {
    if (step.one_word) return std::min(line.find(' ', from), line.size());
    if (step.after.empty()) return line.size();
    if (step.quoted) {
      const std::size_t quote = closing_quote(line, from);
      const bool fits = quote != kNone && line.compare(quote, step.after.size(), step.after) == 0;
      return fits ? quote : kNone;
    }
    if (step.last_colon) {
      const std::size_t space = std::min(line.find(' ', from), line.size());
      const std::size_t colon = line.rfind(':', space);
      return colon == kNone || colon < from ? kNone : colon;
    }
    return find_literal(line, from, step.after);
  }

  std::string_view decoded(std::string_view value) {
    const std::size_t begin = scratch_.size();
    append_unescaped(scratch_, value);
    return std::string_view(scratch_).substr(begin);
  }

  std::string before_;
  std::vector<CompiledStep> steps_;
  bool decode_;
  bool open_end_;
  CommonTime common_;
  std::string scratch_;
};

}  // namespace

std::unique_ptr<Parser> make_pattern_parser(Pattern pattern) {
  return std::make_unique<PatternParser>(std::move(pattern));
}

}  // namespace weir::traffic
