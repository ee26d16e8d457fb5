#include "traffic/format/header_formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "traffic/format/words.h"

namespace weir::traffic {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
constexpr std::string_view kShort = "the line has fewer columns than the header";
constexpr std::string_view kLong = "the line has more columns than the header";

// The values of a line of CSV; `""` within quotes is decoded into `scratch`, which must have room.
// False: a quote has no end, or text stands behind it.
bool split_csv(std::string_view line, char separator, std::vector<std::string_view>& values,
               std::string& scratch) {
  values.clear();
  for (std::size_t at = 0;;) {
    if (at < line.size() && line[at] == '"') {
      const std::size_t begin = scratch.size();
      for (++at;; ++at) {
        if (at == line.size()) return false;
        if (line[at] == '"') {
          if (at + 1 == line.size() || line[at + 1] != '"') break;
          ++at;
        }
        scratch += line[at];
      }
      values.push_back(std::string_view(scratch).substr(begin));
      if (++at < line.size() && line[at] != separator) return false;
    } else {
      const std::size_t end = std::min(line.find(separator, at), line.size());
      values.push_back(line.substr(at, end - at));
      at = end;
    }
    if (at == line.size()) return true;
    ++at;
  }
}

class Csv final : public Parser {
 public:
  explicit Csv(const std::vector<NamedField>& fields) : fields_(fields) {
    for (const NamedField& field : fields) {
      names_.push_back(field.name);
      is_time_.push_back(field.spec.kind == FieldKind::time_any ||
                         field.spec.kind == FieldKind::time_number);
    }
  }

  bool remembers() const override { return true; }
  void restart() override { columns_ = 0; }

  Parsed parse(std::string_view line, Record& record) override {
    record.clear();
    scratch_.clear();
    if (line.empty()) return Parsed::nothing;
    scratch_.reserve(2 * line.size() + 1);
    if (columns_ == 0) return header(line);
    if (!split_csv(line, separator_, values_, scratch_)) {
      return reject("a quote has no end, or text stands behind it");
    }
    if (values_.size() != columns_) return reject(values_.size() < columns_ ? kShort : kLong);
    if (!has_time_) return reject("no column of the header is the time: say it with --fields");
    FieldSink sink(record);
    const auto value = [this](std::size_t i) {
      return column_[i] == kNowhere ? std::string_view() : values_[column_[i]];
    };
    if (const auto why = fields_.put(sink, value, common_); !why.empty()) return reject(why);
    if (const auto why = sink.finish(scratch_); !why.empty()) return reject(why);
    return Parsed::request;
  }

 private:
  Parsed header(std::string_view line) {
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    separator_ = ',';
    for (const char c : {';', '\t'}) {
      if (std::count(line.begin(), line.end(), c) >
          std::count(line.begin(), line.end(), separator_)) {
        separator_ = c;
      }
    }
    if (!split_csv(line, separator_, values_, scratch_)) {
      return reject("a quote of the header has no end");
    }
    columns_ = values_.size();
    column_.assign(names_.size(), kNowhere);
    has_time_ = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto found = std::find(values_.begin(), values_.end(), names_[i]);
      if (found == values_.end()) continue;
      column_[i] = static_cast<std::size_t>(found - values_.begin());
      has_time_ = has_time_ || is_time_[i];
    }
    return Parsed::nothing;
  }

  NamedFields fields_;
  std::vector<std::string> names_;
  std::vector<bool> is_time_;
  // What the header said.
  char separator_ = ',';
  std::size_t columns_ = 0;  // 0: there was none yet
  bool has_time_ = false;
  std::vector<std::size_t> column_;  // by field

  std::vector<std::string_view> values_;
  std::string scratch_;
  CommonTime common_;
};

constexpr std::int64_t kMs = 1'000'000;

struct W3cField {
  std::string_view name;
  FieldKind kind;
  std::string_view more{};
};

constexpr std::array kW3cFields{
    W3cField{"date", FieldKind::date},
    W3cField{"time", FieldKind::time_of_day},
    W3cField{"c-ip", FieldKind::client},
    W3cField{"cs-method", FieldKind::method},
    W3cField{"cs-uri", FieldKind::target},
    W3cField{"cs-uri-stem", FieldKind::path},
    W3cField{"cs-uri-query", FieldKind::args},
    W3cField{"cs-username", FieldKind::attribute, "user"},
    W3cField{"cs(User-Agent)", FieldKind::user_agent},
    W3cField{"cs(Host)", FieldKind::header, "host"},
    W3cField{"cs-host", FieldKind::header, "host"},
    W3cField{"sc-status", FieldKind::status},
    W3cField{"sc-bytes", FieldKind::bytes},
    W3cField{"time-taken", FieldKind::duration},
    W3cField{"x-edge-result-type", FieldKind::limited, "LimitExceeded"},
};

class W3c final : public Parser {
 public:
  bool remembers() const override { return true; }
  void restart() override {
    specs_.clear();
    microsoft_ = false;
  }

  Parsed parse(std::string_view line, Record& record) override {
    record.clear();
    scratch_.clear();
    if (line.empty()) return Parsed::nothing;
    if (line[0] == '#') return directive(line);
    if (specs_.empty()) return reject("no #Fields: line stands before it");
    scratch_.reserve(2 * line.size() + 1);
    FieldSink sink(record);
    std::size_t at = 0;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (at > line.size()) return reject(kShort);
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      const auto why = sink.put(specs_[i], line.substr(at, end - at), common_);
      if (!why.empty()) return reject(why);
      at = end + 1;
    }
    if (at <= line.size()) return reject(kLong);
    record.time_is_end = true;
    if (const auto why = sink.finish(scratch_); !why.empty()) return reject(why);
    return Parsed::request;
  }

 private:
  Parsed directive(std::string_view line) {
    if (line.starts_with("#Software:")) {
      microsoft_ = line.find("Microsoft") != std::string_view::npos;
    }
    constexpr std::string_view kFields = "#Fields:";
    if (!line.starts_with(kFields)) return Parsed::nothing;
    specs_.clear();
    for (std::size_t at = kFields.size(); at < line.size();) {
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      if (end > at) specs_.push_back(spec_of(line.substr(at, end - at)));
      at = end + 1;
    }
    return Parsed::nothing;
  }

  FieldSpec spec_of(std::string_view name) const {
    for (const W3cField& field : kW3cFields) {
      if (field.name != name) continue;
      FieldSpec spec{field.kind, std::string(field.more)};
      if (field.kind == FieldKind::duration && microsoft_) spec.unit_ns = kMs;
      return spec;
    }
    return {};
  }

  // What the header said.
  std::vector<FieldSpec> specs_;
  bool microsoft_ = false;

  std::string scratch_;
  CommonTime common_;
};

}  // namespace

std::unique_ptr<Parser> make_csv_parser(const std::vector<NamedField>& fields) {
  return std::make_unique<Csv>(fields);
}

std::unique_ptr<Parser> csv_format() {
  return make_csv_parser(*parse_field_map(usual_field_map()));
}

std::unique_ptr<Parser> azure_llm_format() {
  return make_csv_parser(
      *parse_field_map("time=TIMESTAMP,cost.tokens=ContextTokens,cost.tokens=GeneratedTokens"));
}

std::unique_ptr<Parser> w3c_format() { return std::make_unique<W3c>(); }

}  // namespace weir::traffic
