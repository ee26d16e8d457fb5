#include "wire/resp.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/append.h"

namespace weir::wire {
namespace {

constexpr std::string_view kTypes = "+-:#,(_$!=*%~>|";

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// As servers write it: no plus sign, no leading zero, no -0.
std::optional<std::int64_t> whole_number(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (!is_digits(digits)) return {};
  if (digits.front() == '0' && text.size() > 1) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return {};
  return value;
}

bool is_real(std::string_view text) {
  if (text == "inf" || text == "-inf" || text == "nan" || text == "-nan") return true;
  const std::string_view first = text.starts_with('-') ? text.substr(1) : text;
  if (first.empty() || first.front() < '0' || first.front() > '9') return false;
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

bool is_big_number(std::string_view text) {
  return is_digits(text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text);
}

}  // namespace

std::span<char> RespParser::prepare(std::size_t n) {
  if (done_) start_reply();
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < n) buffer_.resize(std::max(end_ + n, 2 * buffer_.size()));
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void RespParser::start_reply() {
  begin_ += at_;
  at_ = 0;
  scanned_ = 0;
  values_.clear();
  places_.clear();
  done_ = false;
}

RespParser::Status RespParser::next() {
  if (failed_) return Status::error;
  if (done_) start_reply();
  for (;;) {
    switch (step()) {
      case Step::need_more:
        return Status::need_more;
      case Step::error:
        return Status::error;
      case Step::value:
        if (at_ > limits_.reply_bytes) {
          fail("a reply larger than allowed");
          return Status::error;
        }
        if (closes_reply()) return finish_reply();
    }
  }
}

RespParser::Status RespParser::finish_reply() {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].text = view(places_[i]);
  done_ = true;
  return Status::reply;
}

RespParser::Step RespParser::fail(std::string_view what) {
  failed_ = true;
  error_ = what;
  return Step::error;
}

RespParser::Step RespParser::step() { return bulk_type_ != 0 ? read_bulk() : read_line(); }

RespParser::Step RespParser::read_line() {
  const std::string_view line(buffer_.data() + begin_ + at_, end_ - begin_ - at_);
  if (line.empty()) return Step::need_more;
  if (kTypes.find(line.front()) == std::string_view::npos) return fail("an unknown type");
  scanned_ = std::max(scanned_, at_ + 1);
  const std::size_t size = line.find_first_of("\r\n", scanned_ - at_);
  if (std::min(size, line.size()) > limits_.line_bytes) return fail("a line longer than allowed");
  if (size == std::string_view::npos) {
    scanned_ = at_ + line.size();
    return Step::need_more;
  }
  scanned_ = at_ + size;
  if (line[size] == '\n') return fail("a line feed without a carriage return");
  if (size + 1 == line.size()) return Step::need_more;
  if (line[size + 1] != '\n') return fail("a carriage return without a line feed");
  const Place text{at_ + 1, size - 1};
  at_ += size + 2;
  return read_value(line.front(), text);
}

RespParser::Step RespParser::read_value(char type, Place place) {
  const std::string_view text = view(place);
  switch (type) {
    case '+':
      return add_text(RespType::simple_string, place);
    case '-':
      return add_text(RespType::error, place);
    case ':': {
      const std::optional<std::int64_t> value = whole_number(text);
      if (!value) return fail("a number that is none");
      return add_number(RespType::integer, *value);
    }
    case '#':
      if (text != "t" && text != "f") return fail("a boolean that is none");
      return add_number(RespType::boolean, text == "t");
    case ',':
      if (!is_real(text)) return fail("a real number that is none");
      return add_text(RespType::real, place);
    case '(':
      if (!is_big_number(text)) return fail("a big number that is none");
      return add_text(RespType::big_number, place);
    case '_':
      if (!text.empty()) return fail("a null with a value");
      return add_null();
    case '$':
    case '!':
    case '=':
      return open_bulk(type, text);
    default:
      return open_aggregate(type, text);
  }
}

RespParser::Step RespParser::open_bulk(char type, std::string_view text) {
  const std::optional<std::int64_t> length = whole_number(text);
  if (type == '$' && length == -1) return add_null();
  if (!length || *length < 0) return fail("a length that is none");
  const auto size = static_cast<std::size_t>(*length);
  if (size > limits_.reply_bytes || at_ + size + 2 > limits_.reply_bytes) {
    return fail("a reply larger than allowed");
  }
  if (type == '=' && size < 4) return fail("a verbatim string without its format");
  bulk_type_ = type;
  bulk_size_ = size;
  return read_bulk();
}

RespParser::Step RespParser::read_bulk() {
  if (end_ - begin_ - at_ < bulk_size_ + 2) return Step::need_more;
  Place text{at_, bulk_size_};
  if (view({at_ + bulk_size_, 2}) != "\r\n") return fail("a string longer than its length");
  at_ += bulk_size_ + 2;
  const char type = bulk_type_;
  bulk_type_ = 0;
  if (type == '$') return add_text(RespType::bulk_string, text);
  if (type == '!') return add_text(RespType::error, text);
  if (view(text)[3] != ':') return fail("a verbatim string without its format");
  return add_text(RespType::verbatim, {text.at + 4, text.size - 4});
}

RespParser::Step RespParser::open_aggregate(char type, std::string_view text) {
  const std::optional<std::int64_t> length = whole_number(text);
  if (type == '*' && length == -1) return add_null();
  if (!length || *length < 0) return fail("a length that is none");
  const std::uint64_t per_item = type == '%' || type == '|' ? 2 : 1;
  const auto count = static_cast<std::uint64_t>(*length);
  const std::size_t used = values_.size() + promised_;
  if (count > limits_.values || used + count * per_item > limits_.values) {
    return fail("more values than allowed");
  }
  const auto items = static_cast<std::uint32_t>(count * per_item);
  if (items > 0 && open_.size() >= limits_.depth) return fail("values nested deeper than allowed");
  attribute_pending_ = type == '|' && items == 0;
  if (attribute_pending_) return Step::value;
  const RespType aggregate = type == '*'   ? RespType::array
                             : type == '%' ? RespType::map
                             : type == '~' ? RespType::set
                                           : RespType::push;
  RespValue opened;
  opened.type = aggregate;
  opened.items = items;
  const Step added = add(opened, {0, 0});
  if (items > 0) open_.push_back({values_.size() - 1, items, type == '|'});
  promised_ += items;
  return added;
}

RespParser::Step RespParser::add(const RespValue& value, Place text) {
  if (values_.size() >= limits_.values) return fail("more values than allowed");
  values_.push_back(value);
  places_.push_back(text);
  attribute_pending_ = false;
  return Step::value;
}

RespParser::Step RespParser::add_text(RespType type, Place text) {
  RespValue value;
  value.type = type;
  return add(value, text);
}

RespParser::Step RespParser::add_number(RespType type, std::int64_t number) {
  RespValue value;
  value.type = type;
  value.integer = number;
  return add(value, {0, 0});
}

// Closes the aggregates that the value added last was the end of; true: the reply is whole.
bool RespParser::closes_reply() {
  if (attribute_pending_) return false;
  // An aggregate just opened waits for its first value.
  if (!open_.empty() && open_.back().at + 1 == values_.size() && values_.back().items > 0) {
    return false;
  }
  while (!open_.empty()) {
    Open& last = open_.back();
    --promised_;
    if (--last.left > 0) return false;
    const Open closed = last;
    open_.pop_back();
    values_[closed.at].size = static_cast<std::uint32_t>(values_.size() - closed.at);
    if (closed.attribute) {
      // It is no value of what it stands in.
      values_.resize(closed.at);
      places_.resize(closed.at);
      return false;
    }
  }
  return true;
}

void append_command_size(std::string& out, std::size_t words) {
  out += '*';
  base::append_decimal(out, words);
  out += "\r\n";
}

void append_word(std::string& out, std::string_view word) {
  out += '$';
  base::append_decimal(out, word.size());
  out += "\r\n";
  out += word;
  out += "\r\n";
}

void append_command(std::string& out, std::initializer_list<std::string_view> words) {
  append_command_size(out, words.size());
  for (const std::string_view word : words) append_word(out, word);
}

}  // namespace weir::wire
